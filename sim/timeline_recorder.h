// Makes a timeline of an SM run by watching its state: what each role instance does, what the
// tensor core executes, which operations and loads are under way.
#pragma once

#include "sim/sm_state.h"
#include "src/core/timeline.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fa3prof::sim {

/// Steps that take no time leave no span.
class TimelineRecorder {
 public:
  /// The program must outlive it. `slots`: CTAs of the SM.
  TimelineRecorder(const EventProgram& program, std::size_t slots);

  /// To be given to SmRunRequest::watch.
  void watch(const SmState& state);

  /// The recorded tracks, without those that stayed empty, and an arrow from each load to each of
  /// its uses. `end` closes what is still open. Call once.
  [[nodiscard]] core::Process finish(Ticks end);

 private:
  struct Open {
    std::string name;
    Ticks begin = 0;
  };

  /// What an instance is at; another step or another trip is another one.
  struct Place {
    const EventOp* op = nullptr;
    Cursor cursor = {};

    bool operator==(const Place&) const = default;
  };

  struct Role {
    Place place;
    Open step;
    std::size_t steps = kNone;  ///< tracks
    std::size_t operations = kNone;
    std::vector<std::optional<Open>> groups;  ///< under way, by group
  };

  std::size_t add_track(const std::string& name, bool overlaps);
  void put(std::size_t track, const Open& open, Ticks end);
  void watch_step(const SmState& state, std::size_t instance);
  void watch_groups(const Instance& at, Role& role, Ticks now);
  void watch_tensor(const SmState& state);
  void watch_loads(const SmState& state);
  void watch_uses(const SmState& state);
  [[nodiscard]] std::string step_name(const Instance& at) const;

  const EventProgram& program_;
  core::Process process_;
  std::vector<Role> roles_;                        ///< by instance
  std::vector<std::string> loaded_;                ///< name of what arrives on a barrier, or empty
  std::array<std::size_t, kSharedUnits> units_{};  ///< tracks of steps by their busiest unit
  std::size_t tensor_ = kNone;
  std::size_t loads_ = kNone;
  std::optional<QueuedMma> executing_;
  Open execution_;
  std::int64_t next_event_ = 0;  ///< events of an earlier order have been seen
  Ticks now_ = 0;
  /// By slot and barrier: where its loads began; by slot, barrier and instance: loads used.
  std::map<std::pair<std::size_t, std::size_t>, std::vector<core::TrackPoint>> begun_;
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::int64_t>> used_;
};

}  // namespace fa3prof::sim
