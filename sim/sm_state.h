// The state of one SM in the event engine: role instances, barriers, the tensor unit's queue and
// what is under way.
#pragma once

#include "sim/breakdown.h"
#include "sim/cursor.h"
#include "sim/event_program.h"
#include "sim/ticks.h"
#include "sim/unit_sharing.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace fa3prof::sim {

/// Tiles that ask the same of every role instance of a CTA.
struct TileKind {
  std::vector<TileWork> works;  ///< by role instance, in the order of the roles
  /// Share of the bytes it shares with other tiles that this tile is the first to fetch.
  double first_fetch_ratio = 0.0;

  bool operator==(const TileKind&) const = default;
};

/// The kinds of the tiles that each CTA slot of an SM does, one after the other.
using SmTiles = std::vector<std::vector<const TileKind*>>;

enum class Doing {
  kReady,    ///< to take its next step
  kSharing,  ///< in a step that shares units
  kPausing,  ///< until an event
  kIssuing,  ///< WGMMAs, while the queue is full
  kAtBarrier,
  kAtGroup,
  kAtCtaEnd,  ///< until the other instances of the CTA end
  kDone,
};

struct Instance {
  std::size_t role = 0;
  int number = 0;        ///< among the role's
  std::size_t slot = 0;  ///< CTA on the SM
  std::size_t work = 0;  ///< index into TileKind::works
  Cursor cursor = {};
  Doing doing = Doing::kReady;
  const EventOp* op = nullptr;  ///< being done

  Ticks remaining = 0;  ///< of a step that shares units
  int to_issue = 0;
  int queued = 0;               ///< WGMMAs that take room in the queue
  Ticks stream_end = -1;        ///< when its latest WGMMA ended
  bool has_arrived = false;     ///< inside a sync: its own arrival is made
  bool comes_to_wait = false;   ///< has not yet looked at the barrier
  std::size_t barrier = kNone;  ///< waited for
  std::vector<int> pending;     ///< operations under way, by group
};

/// Counts of one barrier of one CTA; only differences matter.
struct BarrierCounts {
  BarrierKind kind = BarrierKind::kMbarrier;
  std::int64_t initially_free = 0;
  std::vector<std::size_t> arrivers = {};   ///< instances of the SM
  std::vector<std::int64_t> arrivals = {};  ///< by arriver
  std::vector<std::int64_t> passes = {};    ///< by instance of the SM; -1: never waits

  /// A sync arrives and waits.
  [[nodiscard]] bool is_sync() const {
    return kind == BarrierKind::kNamed || kind == BarrierKind::kCta;
  }

  void arrive(std::size_t instance);
  /// Whether the next wait of `instance`, the role's number `number`, passes.
  [[nodiscard]] bool is_open(std::size_t instance, int number) const;
  /// Passes where it is open; false where it is not.
  bool pass_if_open(std::size_t instance, int number);
};

struct QueuedMma {
  std::size_t instance = 0;
  const EventOp* op = nullptr;
  Ticks ready = 0;  ///< not before
  Ticks remaining = 0;
  bool is_last = false;  ///< of its batch
};

/// A load by TMA of which bytes are still to come.
struct Transfer {
  std::size_t instance = 0;
  const EventOp* op = nullptr;
  Ticks remaining = 0;           ///< on the SM's path, alone
  Ticks latency = 0;             ///< after the last byte
  double l2_per_path = 0.0;      ///< ticks of the SM's share of the L2 for a tick of the path
  double memory_per_path = 0.0;  ///< the same of the memory
};

/// A cp.async load of which bytes are still to come.
struct Copy {
  std::size_t instance = 0;
  const EventOp* op = nullptr;
  Ticks remaining = 0;
  Ticks latency = 0;  ///< after the last byte
};

enum class EventKind { kPauseEnds, kArrival, kGroupDone };

struct Event {
  Ticks at = 0;
  std::int64_t order = 0;  ///< of scheduling, decides between equal times
  EventKind kind = EventKind::kPauseEnds;
  std::size_t instance = 0;
  std::size_t target = kNone;  ///< barrier or group

  [[nodiscard]] bool is_after(const Event& other) const {
    return at != other.at ? at > other.at : order > other.order;
  }
};

/// A point in time and where the time before it went.
struct Moment {
  Ticks at = 0;
  Breakdown parts;
  std::array<double, kResources> busy_cycles{};

  /// (this - earlier), and this + count * that.
  [[nodiscard]] Moment since(const Moment& earlier) const;
  void add(std::int64_t count, const Moment& duration);
};

struct SmState {
  std::vector<Instance> instances;
  std::vector<std::vector<BarrierCounts>> barriers;  ///< by slot, by barrier
  std::deque<QueuedMma> tensor;
  std::vector<Transfer> transfers;
  bool has_loaded = false;
  Ticks l2_due = 0;  ///< when the SM's share of the L2 would have brought what has come
  std::vector<Copy> copies;
  std::vector<Event> events;  ///< a heap, the next one in front
  std::int64_t scheduled = 0;
  Moment now;
};

/// All CTAs at the beginning of their first tile.
[[nodiscard]] SmState initial_state(const EventProgram& program, std::size_t slots);

/// "deadlock: role consumer (instance 1 of 2), loop step 2, waits on turn for ever", of the first
/// instance that is not done; nothing where all are.
[[nodiscard]] std::optional<std::string> describe_stuck(const SmState& state,
                                                        const Pipeline& pipeline);

}  // namespace fa3prof::sim
