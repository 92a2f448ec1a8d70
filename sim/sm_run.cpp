#include "sim/sm_run.h"

#include "sim/steady_state.h"
#include "sim/time_account.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace fa3prof::sim {
namespace {

constexpr Ticks kNever = std::numeric_limits<Ticks>::max();
constexpr double kSlowestTensor = 0.05;  // a stall leaves the tensor unit some of its speed

class SmRun {
 public:
  explicit SmRun(const SmRunRequest& request)
      : program_(request.program),
        tiles_(request.tiles),
        jumps_(request.jumps),
        has_cross_(request.program.pipeline->has_cross()),
        is_persistent_(request.program.pipeline->is_persistent),
        state_(initial_state(request.program, request.tiles.size())) {
    result_.tile_ends.resize(tiles_.size());
    result_.periods.resize(tiles_.empty() ? 0 : tiles_[0].size());
    for (std::size_t i = 0; i < state_.instances.size(); ++i) {
      if (tiles_[state_.instances[i].slot].empty()) state_.instances[i].doing = Doing::kDone;
      const bool uses_tensor = program_.roles[state_.instances[i].role].uses_tensor;
      if (uses_tensor && reference_ == kNone) reference_ = i;
    }
    if (reference_ == kNone) reference_ = 0;
  }

  SmRunResult finish() {
    while (true) {
      let_all_act();
      if (jumps_ && begins_trip_) try_to_jump();
      begins_trip_ = false;
      share();
      const Ticks next = next_change();
      if (next == kNever) break;
      pass_time(next);
      end_what_ends();
    }
    for (const Instance& at : state_.instances) {
      if (at.doing == Doing::kDone) continue;
      result_.stuck = describe(at);
      break;
    }
    result_.end = state_.now;
    return std::move(result_);
  }

 private:
  // ---- what instances do, at one point in time

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
        return issue(index);
      case Doing::kSharing:
      case Doing::kPausing:
      case Doing::kAtCtaEnd:
      case Doing::kDone:
        break;
    }
    return false;
  }

  [[nodiscard]] CursorTiles tiles_around(const Instance& at) const {
    const auto& tiles = tiles_[at.slot];
    const auto tile = static_cast<std::size_t>(at.cursor.tile);
    const bool is_last = tile + 1 >= tiles.size();
    return {.current = tiles[tile]->works[at.work],
            .next = is_last ? TileWork{} : tiles[tile + 1]->works[at.work],
            .is_last = is_last,
            .has_cross = has_cross_,
            .peeled_blocks = program_.pipeline->peeled_blocks};
  }

  bool begin_step(std::size_t index) {
    Instance& at = state_.instances[index];
    const Role& role = program_.pipeline->roles[at.role];
    const std::int64_t trip = at.cursor.trip;
    const bool was_in_loop = at.cursor.section == Section::kLoop;
    if (!at.cursor.settle(role, tiles_around(at))) return leave_tile(index);
    const bool is_new_trip = !was_in_loop || at.cursor.trip != trip;
    if (index == reference_ && at.cursor.section == Section::kLoop && is_new_trip) {
      begins_trip_ = true;
    }
    const auto section = static_cast<std::size_t>(at.cursor.section);
    at.op = &program_.roles[at.role].sections[section][at.cursor.index];
    at.op_section = at.cursor.section;
    return start(index, *at.op);
  }

  bool end_step(Instance& at) {
    at.cursor.advance(program_.pipeline->roles[at.role], tiles_around(at));
    at.doing = Doing::kReady;
    return true;
  }

  bool start(std::size_t index, const EventOp& op) {
    Instance& at = state_.instances[index];
    account_.add_busy(op, state_.now);
    switch (op.kind) {
      case OpKind::kShared:
        at.remaining = op.work;
        at.doing = Doing::kSharing;
        if (op.work == 0)
          end_sharing(index);
        else
          is_sharing_stale_ = true;
        return true;
      case OpKind::kWait:
        at.barrier = op.barrier + (op.is_own ? static_cast<std::size_t>(at.number) : 0);
        at.doing = Doing::kAtBarrier;
        return true;
      case OpKind::kArrive:
        arrive(index, op.barrier + (op.is_own ? static_cast<std::size_t>(at.number) : 0));
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
        start_background(index, op);
        return end_step(at);
    }
    return false;
  }

  /// The part of a step that shares units is over; its latency remains.
  void end_sharing(std::size_t index) {
    Instance& at = state_.instances[index];
    is_sharing_stale_ = true;
    if (at.op->latency == 0) {
      end_step(at);
      return;
    }
    at.doing = Doing::kPausing;
    schedule(at.op->latency, EventKind::kPauseEnds, index, kNone);
  }

  void start_background(std::size_t index, const EventOp& op) {
    if (op.group != kNone) ++state_.instances[index].pending[op.group];
    const double from_memory = op.is_from_memory ? 1.0 : first_fetch_ratio(index);
    const auto memory_work =
        static_cast<Ticks>(std::llround(from_memory * static_cast<double>(op.memory_work)));
    const Ticks work = std::max(op.work, memory_work);
    const Ticks latency = op.latency + (from_memory > 0.0 ? op.miss_latency : 0);
    if (op.kind == OpKind::kCopy) {
      state_.copies.push_back(
          {.instance = index, .op = &op, .remaining = work, .latency = latency});
      return;
    }
    Ticks after = work;
    if (op.kind == OpKind::kLoad) {
      Ticks& free = op.is_from_memory ? state_.memory_free : state_.load_free;
      free = std::max(free, state_.now.at) + work;
      after = free - state_.now.at;
    }
    schedule_end(index, op, after + latency);
  }

  /// Of the tile that the instance loads for.
  [[nodiscard]] double first_fetch_ratio(std::size_t index) const {
    const Instance& at = state_.instances[index];
    return tiles_[at.slot][static_cast<std::size_t>(at.cursor.tile)]->first_fetch_ratio;
  }

  /// Signals the barrier or completes the group of a background operation.
  void schedule_end(std::size_t index, const EventOp& op, Ticks after) {
    if (op.barrier != kNone) schedule(after, EventKind::kArrival, index, op.barrier);
    if (op.group != kNone) schedule(after, EventKind::kGroupDone, index, op.group);
  }

  void arrive(std::size_t index, std::size_t barrier) {
    schedule(program_.handoff[barrier], EventKind::kArrival, index, barrier);
  }

  bool try_to_pass(std::size_t index) {
    Instance& at = state_.instances[index];
    BarrierCounts& barrier = state_.barriers[at.slot][at.barrier];
    if (barrier.is_sync() && !at.has_arrived) {
      arrive(index, at.barrier);
      at.has_arrived = true;
    }
    if (!barrier.is_open(index, at.number)) return false;
    ++barrier.passes[index];
    at.has_arrived = false;
    return end_step(at);
  }

  /// Puts an instruction into the queue of the tensor unit, if there is room for this warpgroup's.
  bool issue(std::size_t index) {
    Instance& at = state_.instances[index];
    if (at.to_issue == 0) return end_step(at);
    if (at.op->blocks && at.queued > program_.issue_ahead) return false;
    // A stream of instructions is already on its way behind the warpgroup's one before.
    const bool is_stream = at.queued > 0 || at.stream_end == state_.now.at;
    const Ticks start = is_stream ? 0 : program_.tensor_start;
    --at.to_issue;
    if (at.op->blocks) ++at.queued;
    state_.tensor.push_back({.instance = index,
                             .op = at.op,
                             .ready = state_.now.at + start,
                             .remaining = at.op->instruction,
                             .is_last = at.to_issue == 0});
    is_sharing_stale_ = true;
    if (at.to_issue > 0 || !at.op->waits_for_itself) return true;
    at.doing = Doing::kPausing;
    return true;
  }

  bool leave_tile(std::size_t index) {
    Instance& at = state_.instances[index];
    if (!is_persistent_) {
      at.doing = Doing::kAtCtaEnd;
      return end_cta(at.slot);
    }
    if (index == reference_of(at.slot)) {
      result_.tile_ends[at.slot].push_back(state_.now);
      steady_.clear();
    }
    if (static_cast<std::size_t>(at.cursor.tile) == tiles_[at.slot].size()) at.doing = Doing::kDone;
    return at.doing != Doing::kDone;
  }

  /// The next CTA starts when all of this one has ended.
  bool end_cta(std::size_t slot) {
    const auto is_of_slot = [slot](const Instance& at) { return at.slot == slot; };
    const bool has_ended = std::ranges::all_of(state_.instances, [&](const Instance& at) {
      return !is_of_slot(at) || at.doing == Doing::kAtCtaEnd;
    });
    if (!has_ended) return false;
    result_.tile_ends[slot].push_back(state_.now);
    if (slot == 0) steady_.clear();
    for (Instance& at : state_.instances) {
      if (!is_of_slot(at)) continue;
      const bool is_over = static_cast<std::size_t>(at.cursor.tile) == tiles_[slot].size();
      at.doing = is_over ? Doing::kDone : Doing::kReady;
    }
    return true;
  }

  [[nodiscard]] std::size_t reference_of(std::size_t slot) const {
    return reference_ + slot * (state_.instances.size() / tiles_.size());
  }

  // ---- time

  void schedule(Ticks after, EventKind kind, std::size_t instance, std::size_t target) {
    state_.events.push_back({.at = state_.now.at + after,
                             .order = state_.scheduled++,
                             .kind = kind,
                             .instance = instance,
                             .target = target});
    std::ranges::push_heap(state_.events, is_later);
  }

  static bool is_later(const Event& a, const Event& b) { return a.is_after(b); }

  [[nodiscard]] bool is_tensor_busy() const {
    return !state_.tensor.empty() && state_.tensor.front().ready <= state_.now.at;
  }

  /// Who runs how fast until something changes.
  void share() {
    const bool is_busy = is_tensor_busy();
    if (!is_sharing_stale_ && is_busy == was_tensor_busy_) return;
    is_sharing_stale_ = false;
    was_tensor_busy_ = is_busy;
    sharers_.clear();
    for (const Instance& at : state_.instances) {
      if (at.doing == Doing::kSharing) sharers_.push_back({.op = at.op});
    }
    share_units(sharers_, is_busy ? program_.speed_beside_wgmma : 1.0);
    const double stall = program_.stall_per_fp32 * use_of(Resource::kFp32, sharers_);
    tensor_speed_ = is_busy ? std::max(kSlowestTensor, 1.0 - stall) : 0.0;
  }

  static Ticks time_for(Ticks work, double speed) {
    return speed > 0.0 ? static_cast<Ticks>(std::ceil(static_cast<double>(work) / speed)) : kNever;
  }

  [[nodiscard]] Ticks next_change() const {
    Ticks after = kNever;
    std::size_t s = 0;
    for (const Instance& at : state_.instances) {
      if (at.doing == Doing::kSharing) {
        after = std::min(after, time_for(at.remaining, sharers_[s++].speed));
      }
    }
    if (is_tensor_busy()) {
      after = std::min(after, time_for(state_.tensor.front().remaining, tensor_speed_));
    } else if (!state_.tensor.empty()) {
      after = std::min(after, state_.tensor.front().ready - state_.now.at);
    }
    const auto count = static_cast<Ticks>(state_.copies.size());
    for (const Copy& copy : state_.copies) after = std::min(after, copy.remaining * count);
    const Ticks next = after == kNever ? kNever : state_.now.at + after;
    return state_.events.empty() ? next : std::min(next, state_.events.front().at);
  }

  void pass_time(Ticks until) {
    const Ticks duration = until - state_.now.at;
    if (duration > 0) {
      account_.pass(state_, sharers_, tensor_speed_, duration);
      std::size_t s = 0;
      for (Instance& at : state_.instances) {
        if (at.doing == Doing::kSharing)
          at.remaining -= done(sharers_[s++].speed, duration, at.remaining);
      }
      if (is_tensor_busy()) {
        Ticks& remaining = state_.tensor.front().remaining;
        remaining -= done(tensor_speed_, duration, remaining);
      }
    }
    pass_copies(duration);
    state_.now.at = until;
  }

  void pass_copies(Ticks duration) {
    if (state_.copies.empty()) return;
    const double speed = 1.0 / static_cast<double>(state_.copies.size());
    for (Copy& copy : state_.copies) copy.remaining -= done(speed, duration, copy.remaining);
  }

  static Ticks done(double speed, Ticks duration, Ticks remaining) {
    return std::min(remaining,
                    static_cast<Ticks>(std::llround(speed * static_cast<double>(duration))));
  }

  void end_what_ends() {
    while (!state_.events.empty() && state_.events.front().at <= state_.now.at) {
      std::ranges::pop_heap(state_.events, is_later);
      const Event event = state_.events.back();
      state_.events.pop_back();
      happen(event);
    }
    for (const Copy& copy : state_.copies) {
      if (copy.remaining == 0) schedule_end(copy.instance, *copy.op, copy.latency);
    }
    std::erase_if(state_.copies, [](const Copy& copy) { return copy.remaining == 0; });
    for (std::size_t i = 0; i < state_.instances.size(); ++i) {
      Instance& at = state_.instances[i];
      if (at.doing == Doing::kSharing && at.remaining == 0) end_sharing(i);
    }
    if (is_tensor_busy() && state_.tensor.front().remaining == 0) end_instruction();
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

  void end_instruction() {
    const QueuedMma mma = state_.tensor.front();
    state_.tensor.pop_front();
    is_sharing_stale_ = true;
    Instance& at = state_.instances[mma.instance];
    at.stream_end = state_.now.at;
    if (mma.op->blocks) --at.queued;

    if (!mma.is_last) return;
    const EventOp& op = *mma.op;
    if (op.waits_for_itself) schedule(op.latency, EventKind::kPauseEnds, mma.instance, kNone);
    if (op.barrier != kNone) schedule(0, EventKind::kArrival, mma.instance, op.barrier);
    if (op.group != kNone) schedule(op.latency, EventKind::kGroupDone, mma.instance, op.group);
  }

  // ---- the steady state

  /// Every instance that has a loop is in it, beyond its masked blocks.
  [[nodiscard]] bool is_all_in_loops() const {
    return std::ranges::all_of(state_.instances, [&](const Instance& at) {
      const bool has_loop = !program_.pipeline->roles[at.role].steps(Section::kLoop).empty();
      if (at.doing == Doing::kDone) return true;
      if (!has_loop || at.cursor.section != Section::kLoop) return false;
      const TileWork& work =
          tiles_[at.slot][static_cast<std::size_t>(at.cursor.tile)]->works[at.work];
      return at.cursor.trip + program_.pipeline->peeled_blocks >= work.masked;
    });
  }

  /// How often the period fits before any instance comes to its last trip.
  [[nodiscard]] std::int64_t repetitions(std::int64_t trips) const {
    std::int64_t count = std::numeric_limits<std::int64_t>::max();
    for (const Instance& at : state_.instances) {
      if (at.doing == Doing::kDone) continue;
      const TileWork& work =
          tiles_[at.slot][static_cast<std::size_t>(at.cursor.tile)]->works[at.work];
      count = std::min(count, (work.trips - 2 - at.cursor.trip) / trips);
    }
    return std::max<std::int64_t>(0, count);
  }

  void try_to_jump() {
    if (!is_all_in_loops()) return;
    const auto repetition = steady_.note(state_, reference_);
    if (!repetition) return;
    const auto tile = static_cast<std::size_t>(state_.instances[reference_].cursor.tile);
    result_.periods[tile] = {.trips = repetition->trips, .duration = repetition->duration};
    const std::int64_t count = repetitions(repetition->trips);
    if (count == 0) return;
    const Ticks jumped = count * repetition->duration.at;
    state_.now.add(count, repetition->duration);
    for (QueuedMma& mma : state_.tensor) mma.ready += jumped;
    state_.load_free += jumped;
    state_.memory_free += jumped;
    for (Event& event : state_.events) event.at += jumped;
    for (Instance& at : state_.instances) {
      if (at.doing != Doing::kDone) at.cursor.trip += count * repetition->trips;
    }
    steady_.clear();
  }

  [[nodiscard]] std::string describe(const Instance& at) const {
    const Role& role = program_.pipeline->roles[at.role];
    const Cursor& cursor = at.cursor;
    return fmt::format("deadlock: role {} (instance {} of {}), {} step {}, {}, waits for ever",
                       role.name, at.number + 1, role.instances,
                       kSectionNames[static_cast<std::size_t>(cursor.section)], cursor.index + 1,
                       role.steps(cursor.section)[cursor.index].name);
  }

  const EventProgram& program_;
  const SmTiles& tiles_;
  bool jumps_;
  bool has_cross_;
  bool is_persistent_;
  SmState state_;
  std::size_t reference_ = kNone;  ///< instance whose trips are counted
  std::vector<Sharer> sharers_;    ///< in the order of the instances that share
  double tensor_speed_ = 0.0;
  bool is_sharing_stale_ = true;
  bool was_tensor_busy_ = false;
  bool begins_trip_ = false;
  TimeAccount account_{program_};
  SteadyState steady_;
  SmRunResult result_;
};

}  // namespace

SmRunResult run_sm(const SmRunRequest& request) { return SmRun(request).finish(); }

}  // namespace fa3prof::sim
