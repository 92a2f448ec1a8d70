// The units of an SM while time passes: steps that share them, the tensor unit's queue, loads under
// way, and the events that they end in.
#pragma once

#include "sim/sm_state.h"
#include "sim/time_account.h"

#include <limits>
#include <optional>
#include <vector>

namespace fa3prof::sim {

inline constexpr Ticks kNever = std::numeric_limits<Ticks>::max();

class SmUnits {
 public:
  SmUnits(const EventProgram& program, SmState& state)
      : program_(program), state_(state), account_(program) {}

  /// An event `after` from now.
  void schedule(Ticks after, EventKind kind, std::size_t instance, std::size_t target);

  /// The instance's step begins or ends to share units.
  void change_sharing() { is_sharing_stale_ = true; }

  /// A load or other operation that goes on by itself; `from_memory_ratio` of its bytes miss L2.
  void start_background(std::size_t instance, const EventOp& op, double from_memory_ratio);

  /// Puts the instance's next WGMMA into the tensor unit's queue; false when there is no room.
  bool issue(std::size_t instance);

  /// Until the next event, or kNever.
  [[nodiscard]] Ticks next_change();

  /// Lets time pass to `until`, at most next_change(), and books it.
  void pass_time(Ticks until);

  /// The next event that is due.
  [[nodiscard]] std::optional<Event> pop_due();

  /// Turns copies and a WGMMA that have just ended into events.
  void end_operations();

  void book_busy(const EventOp& op) { TimeAccount::add_busy(op, state_.now); }

  /// Moves all that is under way by `ticks`, after `state.now` has been.
  void shift(Ticks ticks);

 private:
  void set_transfer_speeds();
  [[nodiscard]] Ticks next_transfer_change() const;
  void pass_transfers(Ticks duration);
  void schedule_end(std::size_t instance, const EventOp& op, Ticks after);
  void share();
  void end_instruction();
  [[nodiscard]] bool is_tensor_busy() const;

  const EventProgram& program_;
  SmState& state_;
  TimeAccount account_;
  std::vector<Sharer> sharers_;  ///< in the order of the instances that share
  double tensor_speed_ = 0.0;
  std::vector<double> transfer_speeds_;  ///< of the path, by transfer
  double l2_use_ = 0.0;  ///< of the SM's share: beyond 1 it spends what it is behind
  bool is_sharing_stale_ = true;
  bool was_tensor_busy_ = false;
};

}  // namespace fa3prof::sim
