#include "sim/sm_run.h"

#include "sim/sm_units.h"
#include "sim/steady_state.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace fa3prof::sim {
namespace {

class SmRun {
 public:
  explicit SmRun(const SmRunRequest& request)
      : program_(request.program),
        tiles_(request.tiles),
        request_(request),
        state_(initial_state(request.program, request.tiles.size())),
        units_(request.program, state_) {
    result_.tile_ends.resize(tiles_.size());
    result_.periods.resize(tiles_.empty() ? 0 : tiles_[0].size());
    for (std::size_t i = 0; i < state_.instances.size(); ++i) {
      const bool is_idle = tiles_[state_.instances[i].slot].empty();
      if (is_idle) state_.instances[i].doing = Doing::kDone;
      running_ += is_idle ? 0 : 1;
      const bool uses_tensor = program_.roles[state_.instances[i].role].uses_tensor;
      if (uses_tensor && reference_ == kNone) reference_ = i;
    }
    if (reference_ == kNone) reference_ = 0;
  }

  SmRunResult finish() {
    while (true) {
      let_all_act();
      if (request_.watch) request_.watch(state_);
      if (request_.jumps && begins_trip_) try_to_jump();
      begins_trip_ = false;
      if (running_ == 0) break;
      const Ticks next = units_.next_change();
      if (next == kNever) break;
      units_.pass_time(next);
      end_what_ends();
    }
    result_.stuck = describe_stuck(state_, *program_.pipeline);
    result_.end = state_.now;
    return std::move(result_);
  }

 private:
  void let_all_act() {
    for (bool has_moved = true; has_moved;) {
      has_moved = false;
      for (std::size_t i = 0; i < state_.instances.size(); ++i) {
        while (act(i)) has_moved = true;
      }
    }
  }

  /// One move of an instance; false when it must wait for something.
  bool act(std::size_t index) {
    Instance& at = state_.instances[index];
    switch (at.doing) {
      case Doing::kReady:
        return begin_step(index);
      case Doing::kAtBarrier:
        return try_to_pass(index);
      case Doing::kAtGroup:
        if (at.pending[at.op->group] > 0) return false;
        return end_step(at);
      case Doing::kIssuing:
        if (at.to_issue == 0) return end_step(at);
        if (!units_.issue(index)) return false;
        if (at.to_issue == 0 && at.op->waits_for_itself) at.doing = Doing::kPausing;
        return true;
      case Doing::kSharing:
      case Doing::kPausing:
      case Doing::kAtCtaEnd:
      case Doing::kDone:
        break;
    }
    return false;
  }

  [[nodiscard]] const TileKind& tile_of(const Instance& at) const {
    return *tiles_[at.slot][static_cast<std::size_t>(at.cursor.tile)];
  }

  [[nodiscard]] CursorTiles tiles_around(const Instance& at) const {
    const auto& tiles = tiles_[at.slot];
    const auto next = static_cast<std::size_t>(at.cursor.tile) + 1;
    const bool is_last = next >= tiles.size();
    return {.current = tile_of(at).works[at.work],
            .next = is_last ? TileWork{} : tiles[next]->works[at.work],
            .is_last = is_last,
            .has_cross = program_.has_cross,
            .peeled_blocks = program_.pipeline->peeled_blocks};
  }

  bool begin_step(std::size_t index) {
    Instance& at = state_.instances[index];
    const std::int64_t trip = at.cursor.trip;
    const bool was_in_loop = at.cursor.section == Section::kLoop;
    if (!at.cursor.settle(program_.pipeline->roles[at.role], tiles_around(at))) {
      return leave_tile(index);
    }
    const bool is_new_trip = !was_in_loop || at.cursor.trip != trip;
    if (index == reference_ && at.cursor.section == Section::kLoop && is_new_trip) {
      begins_trip_ = true;
    }
    const auto section = static_cast<std::size_t>(at.cursor.section);
    at.op = &program_.roles[at.role].sections[section][at.cursor.index];
    units_.book_busy(*at.op);
    return start(index, *at.op);
  }

  bool end_step(Instance& at) {
    at.cursor.advance(program_.pipeline->roles[at.role], tiles_around(at));
    at.doing = Doing::kReady;
    return true;
  }

  bool start(std::size_t index, const EventOp& op) {
    Instance& at = state_.instances[index];
    const std::size_t own = op.is_own ? static_cast<std::size_t>(at.number) : 0;
    switch (op.kind) {
      case OpKind::kShared:
        at.remaining = op.work;
        at.doing = Doing::kSharing;
        units_.change_sharing();
        if (op.work == 0) end_sharing(index);
        return true;
      case OpKind::kWait:
        at.barrier = op.barrier + own;
        at.comes_to_wait = true;
        at.doing = Doing::kAtBarrier;
        return true;
      case OpKind::kArrive:
        arrive(index, op.barrier + own);
        return end_step(at);
      case OpKind::kIssue:
        at.to_issue = op.instructions;
        at.doing = Doing::kIssuing;
        if (op.group != kNone) ++at.pending[op.group];
        return true;
      case OpKind::kWaitGroup:
        at.doing = Doing::kAtGroup;
        return true;
      case OpKind::kLoad:
      case OpKind::kCopy:
      case OpKind::kBackground:
        units_.start_background(index, op, op.is_from_memory ? 1.0 : tile_of(at).first_fetch_ratio);
        return end_step(at);
    }
    return false;
  }

  /// The part of a step that shares units is over; its latency remains.
  void end_sharing(std::size_t index) {
    Instance& at = state_.instances[index];
    units_.change_sharing();
    at.op->latency == 0 ? end_step(at) : pause(index);
  }

  bool pause(std::size_t index) {
    state_.instances[index].doing = Doing::kPausing;
    units_.schedule(state_.instances[index].op->latency, EventKind::kPauseEnds, index, kNone);
    return true;
  }

  void arrive(std::size_t index, std::size_t barrier) {
    units_.schedule(program_.handoff[barrier], EventKind::kArrival, index, barrier);
  }

  bool try_to_pass(std::size_t index) {
    Instance& at = state_.instances[index];
    BarrierCounts& barrier = state_.barriers[at.slot][at.barrier];
    if (barrier.is_sync() && !at.has_arrived) {
      arrive(index, at.barrier);
      at.has_arrived = true;
    }
    const bool comes = std::exchange(at.comes_to_wait, false);
    if (!barrier.pass_if_open(index, at.number)) return false;
    at.has_arrived = false;
    if (!comes || barrier.is_sync() || at.op->latency == 0) return end_step(at);
    // What is there already takes a look; to one that waits longer that makes no difference.
    return pause(index);
  }

  bool leave_tile(std::size_t index) {
    Instance& at = state_.instances[index];
    if (!program_.pipeline->is_persistent) {
      at.doing = Doing::kAtCtaEnd;
      return end_cta(at.slot);
    }
    const std::size_t per_slot = state_.instances.size() / tiles_.size();
    if (index == reference_ + at.slot * per_slot) end_tile(at.slot);
    if (static_cast<std::size_t>(at.cursor.tile) < tiles_[at.slot].size()) return true;
    at.doing = Doing::kDone;
    --running_;
    return false;
  }

  void end_tile(std::size_t slot) {
    result_.tile_ends[slot].push_back(state_.now);
    if (slot == 0) steady_.clear();
  }

  /// The next CTA starts when all of this one has ended.
  bool end_cta(std::size_t slot) {
    const bool has_ended = std::ranges::all_of(state_.instances, [slot](const Instance& at) {
      return at.slot != slot || at.doing == Doing::kAtCtaEnd;
    });
    if (!has_ended) return false;
    end_tile(slot);
    for (Instance& at : state_.instances) {
      if (at.slot != slot) continue;
      const bool is_over = static_cast<std::size_t>(at.cursor.tile) == tiles_[slot].size();
      at.doing = is_over ? Doing::kDone : Doing::kReady;
      running_ -= is_over ? 1 : 0;
    }
    return true;
  }

  void end_what_ends() {
    while (const auto event = units_.pop_due()) happen(*event);
    for (std::size_t i = 0; i < state_.instances.size(); ++i) {
      const Instance& at = state_.instances[i];
      if (at.doing == Doing::kSharing && at.remaining == 0) end_sharing(i);
    }
    units_.end_operations();
  }

  void happen(const Event& event) {
    Instance& at = state_.instances[event.instance];
    switch (event.kind) {
      case EventKind::kPauseEnds:
        end_step(at);
        break;
      case EventKind::kArrival:
        state_.barriers[at.slot][event.target].arrive(event.instance);
        break;
      case EventKind::kGroupDone:
        --at.pending[event.target];
        break;
    }
  }

  /// Every instance that has a loop is in it, beyond its masked blocks.
  [[nodiscard]] bool is_all_in_loops() const {
    return std::ranges::all_of(state_.instances, [&](const Instance& at) {
      if (at.doing == Doing::kDone) return true;
      if (at.cursor.section != Section::kLoop) return false;
      return at.cursor.trip + program_.pipeline->peeled_blocks >= tile_of(at).works[at.work].masked;
    });
  }

  /// How often the period fits before any instance comes to its last trip.
  [[nodiscard]] std::int64_t repetitions(std::int64_t trips) const {
    std::int64_t count = std::numeric_limits<std::int64_t>::max();
    for (const Instance& at : state_.instances) {
      if (at.doing == Doing::kDone) continue;
      count = std::min(count, (tile_of(at).works[at.work].trips - 2 - at.cursor.trip) / trips);
    }
    return std::max<std::int64_t>(0, count);
  }

  void try_to_jump() {
    if (!is_all_in_loops()) return;
    const auto repetition = steady_.note(program_, state_, reference_);
    if (!repetition) return;
    const auto tile = static_cast<std::size_t>(state_.instances[reference_].cursor.tile);
    result_.periods[tile] = {.trips = repetition->trips, .duration = repetition->duration};
    const std::int64_t count = repetitions(repetition->trips);
    if (count == 0) return;
    state_.now.add(count, repetition->duration);
    units_.shift(count * repetition->duration.at);
    for (Instance& at : state_.instances) {
      if (at.doing != Doing::kDone) at.cursor.trip += count * repetition->trips;
    }
    steady_.clear();
  }

  const EventProgram& program_;
  const SmTiles& tiles_;
  const SmRunRequest& request_;
  SmState state_;
  SmUnits units_;
  std::size_t reference_ = kNone;  ///< instance whose trips are counted
  bool begins_trip_ = false;
  int running_ = 0;  ///< instances that are not done
  SteadyState steady_;
  SmRunResult result_;
};

}  // namespace

SmRunResult run_sm(const SmRunRequest& request) { return SmRun(request).finish(); }

}  // namespace fa3prof::sim
