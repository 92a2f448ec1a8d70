#include "sim/steady_state.h"

#include <algorithm>
#include <utility>

namespace fa3prof::sim {
namespace {

using Code = std::vector<std::int64_t>;

/// More states than this are not kept: a loop that does not repeat by then, because three
/// warpgroups drift against each other, goes on as it did on average over the last trips.
constexpr std::size_t kMostStates = 32;
constexpr std::size_t kAverageTrips = 20;

void add_instance(const Instance& at, const Instance& reference, Code& code) {
  code.insert(
      code.end(),
      {static_cast<std::int64_t>(at.cursor.section), at.cursor.trip - reference.cursor.trip,
       static_cast<std::int64_t>(at.cursor.index), static_cast<std::int64_t>(at.doing),
       at.remaining, at.to_issue, at.queued, at.has_arrived ? 1 : 0, at.comes_to_wait ? 1 : 0});
  for (const int pending : at.pending) code.push_back(pending);
}

/// Arrivals and passes relative to the fewest arrivals.
void add_barrier(const BarrierCounts& barrier, Code& code) {
  if (barrier.arrivals.empty()) return;
  const std::int64_t base = std::ranges::min(barrier.arrivals);
  for (const std::int64_t count : barrier.arrivals) code.push_back(count - base);
  for (const std::int64_t count : barrier.passes) {
    if (count >= 0) code.push_back(count - base);
  }
}

void add_events(const SmState& state, Code& code) {
  std::vector<Event> events = state.events;
  std::ranges::sort(events, [](const Event& a, const Event& b) { return b.is_after(a); });
  for (const Event& event : events) {
    code.insert(code.end(), {event.at - state.now.at, static_cast<std::int64_t>(event.kind),
                             static_cast<std::int64_t>(event.instance),
                             static_cast<std::int64_t>(event.target)});
  }
}

Code code_of(const EventProgram& program, const SmState& state, std::size_t reference) {
  Code code;
  for (const Instance& at : state.instances) add_instance(at, state.instances[reference], code);
  for (const auto& slot : state.barriers) {
    for (const BarrierCounts& barrier : slot) add_barrier(barrier, code);
  }
  for (const QueuedMma& mma : state.tensor) {
    code.insert(code.end(),
                {static_cast<std::int64_t>(mma.instance),
                 std::max<Ticks>(0, mma.ready - state.now.at), mma.remaining, mma.op->instruction,
                 static_cast<std::int64_t>(mma.op->group), mma.is_last ? 1 : 0});
  }
  for (const Transfer& transfer : state.transfers) {
    code.insert(code.end(), {static_cast<std::int64_t>(transfer.instance),
                             static_cast<std::int64_t>(transfer.op->barrier), transfer.remaining});
  }
  code.push_back(std::max(-program.l2_ahead, state.l2_due - state.now.at));
  for (const Copy& copy : state.copies) {
    code.insert(code.end(), {static_cast<std::int64_t>(copy.instance),
                             static_cast<std::int64_t>(copy.op->group), copy.remaining});
  }
  add_events(state, code);
  return code;
}

}  // namespace

std::optional<SteadyState::Repetition> SteadyState::note(const EventProgram& program,
                                                         const SmState& state,
                                                         std::size_t reference) {
  Code code = code_of(program, state, reference);
  const std::int64_t trip = state.instances[reference].cursor.trip;
  for (const Seen& seen : seen_) {
    if (seen.code != code) continue;
    return Repetition{.trips = trip - seen.trip, .duration = state.now.since(seen.moment)};
  }
  seen_.push_back({.code = std::move(code), .trip = trip, .moment = state.now});
  if (seen_.size() <= kMostStates) return std::nullopt;
  seen_.erase(seen_.begin());
  const Seen& since = seen_[kMostStates - 1 - kAverageTrips];
  return Repetition{.trips = trip - since.trip, .duration = state.now.since(since.moment)};
}

}  // namespace fa3prof::sim
