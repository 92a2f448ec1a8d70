#include "sim/critical_path.h"

#include "sim/cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace fa3prof::sim {
namespace {

const PathTime& later(const PathTime& a, const PathTime& b) { return b.cycles > a.cycles ? b : a; }

PathPart part_of(Activity activity, Section section) {
  if (activity == Activity::kTensor) return PathPart::kTensor;
  if (section != Section::kLoop) return PathPart::kRamp;
  if (activity == Activity::kElementwise) return PathPart::kElementwise;
  return activity == Activity::kLoad ? PathPart::kLoad : PathPart::kBarrier;
}

/// One role instance and where it stands.
struct Instance {
  std::size_t role = 0;
  int number = 0;
  Cursor cursor = {};
  PathTime now = {};
  PathTime tensor_free = {};  ///< background tensor work runs in the order of issue
  std::vector<PathTime> group_done;
  std::vector<std::size_t> waits_passed;  ///< per barrier
  bool has_arrived = false;               ///< inside a sync: its own arrival is made
};

/// The arrivals on one barrier so far, by participating instance.
struct BarrierState {
  BarrierKind kind = BarrierKind::kMbarrier;
  std::size_t initially_free = 0;
  std::vector<std::size_t> arrivers = {};  ///< instance indices, ascending
  std::vector<std::vector<PathTime>> arrivals = {};
};

class Run {
 public:
  Run(const Pipeline& pipeline, const SizeScope& scope, const ProgramCosts& costs,
      const PathRequest& request)
      : pipeline_(pipeline), costs_(costs), request_(request) {
    for (std::size_t role = 0; role < pipeline.roles.size(); ++role) {
      for (int number = 0; number < pipeline.roles[role].instances; ++number) {
        instances_.push_back(
            {.role = role,
             .number = number,
             .group_done = std::vector<PathTime>(pipeline.roles[role].groups.size()),
             .waits_passed = std::vector<std::size_t>(pipeline.barriers.size())});
      }
    }
    for (std::size_t i = 0; i < pipeline.barriers.size(); ++i) add_barrier(i, scope);
    result_.tile_ends.resize(static_cast<std::size_t>(request.tiles));
  }

  PathResult finish() {
    bool has_moved = true;
    while (has_moved) {
      has_moved = false;
      for (std::size_t i = 0; i < instances_.size(); ++i) {
        while (advance(i)) has_moved = true;
      }
    }
    for (const Instance& instance : instances_) {
      if (instance.cursor.tile == request_.tiles) continue;
      result_.stuck = describe(instance);
      break;
    }
    if (std::isfinite(first_tensor_cycles_)) result_.fill_cycles = first_tensor_cycles_;
    return std::move(result_);
  }

 private:
  void add_barrier(std::size_t index, const SizeScope& scope) {
    const Barrier& barrier = pipeline_.barriers[index];
    BarrierState state{
        .kind = barrier.kind,
        .initially_free = static_cast<std::size_t>(barrier.initially_free.value(scope))};
    for (std::size_t i = 0; i < instances_.size(); ++i) {
      if (arrives(instances_[i], index)) state.arrivers.push_back(i);
    }
    state.arrivals.resize(state.arrivers.size());
    barriers_.push_back(std::move(state));
  }

  /// Whether the instance arrives on the barrier: a sync of a named or CTA barrier does too.
  [[nodiscard]] bool arrives(const Instance& at, std::size_t barrier) const {
    const Role& role = pipeline_.roles[at.role];
    const BarrierKind kind = pipeline_.barriers[barrier].kind;
    const bool sync_arrives = kind == BarrierKind::kNamed || kind == BarrierKind::kCta;
    const auto is_arrival = [&](const Step& step) {
      if (const auto* arrive = std::get_if<Arrive>(&step.action)) {
        return arrive->index(at.number) == barrier;
      }
      if (const auto* load = std::get_if<Load>(&step.action)) return load->signals == barrier;
      if (const auto* delay = std::get_if<Delay>(&step.action)) return delay->signals == barrier;
      const auto* wait = std::get_if<Wait>(&step.action);
      return sync_arrives && wait != nullptr && wait->index(at.number) == barrier;
    };
    return std::ranges::any_of(role.sections, [&](const std::vector<Step>& steps) {
      return std::ranges::any_of(steps, is_arrival);
    });
  }

  /// Does the instance's next step; false when it must wait for others or has finished.
  bool advance(std::size_t index) {
    Instance& at = instances_[index];
    if (!enter_step(at)) return false;
    const Role& role = pipeline_.roles[at.role];
    const Cursor& cursor = at.cursor;
    const StepCost& cost =
        costs_.roles[at.role].sections[static_cast<std::size_t>(cursor.section)][cursor.index];
    const bool is_done = std::visit([&](const auto& action) { return act(index, action, cost); },
                                    role.steps(cursor.section)[cursor.index].action);
    if (is_done) at.cursor.advance(role, tiles_around(at));
    return is_done;
  }

  /// All tiles are alike, and every instance sees all keys of a block.
  [[nodiscard]] CursorTiles tiles_around(const Instance& at) const {
    const TileWork work{.trips = request_.trips};
    return {.current = work,
            .next = work,
            .is_last = at.cursor.tile + 1 >= request_.tiles,
            .has_cross = pipeline_.has_cross(),
            .peeled_blocks = pipeline_.peeled_blocks};
  }

  /// Moves on to the next section, trip or tile where this one has no step left.
  bool enter_step(Instance& at) {
    while (at.cursor.tile < request_.tiles) {
      const auto tile = static_cast<std::size_t>(at.cursor.tile);
      if (at.cursor.settle(pipeline_.roles[at.role], tiles_around(at))) return true;
      result_.tile_ends[tile] = later(result_.tile_ends[tile], at.now);
    }
    return false;
  }

  /// Lets the step's time pass from `begin` on.
  [[nodiscard]] PathTime after(const PathTime& begin, const Instance& at,
                               const StepCost& cost) const {
    PathTime end = begin;
    const double cycles = cost.cycles(request_.copies);
    // What keeps a GEMM longer than its tensor time is the feed of its operands.
    const double tensor_cycles =
        cost.activity == Activity::kTensor
            ? std::min(cycles, request_.copies * cost.busy(Resource::kTensor))
            : 0.0;
    end.add(PathPart::kTensor, tensor_cycles);
    const Activity rest = cost.activity == Activity::kTensor ? Activity::kLoad : cost.activity;
    end.add(part_of(rest, at.cursor.section), cycles - tensor_cycles);
    return end;
  }

  bool act(std::size_t index, const Load& load, const StepCost& cost) {
    return start(index, load.signals, load.group, cost);
  }

  static bool act(std::size_t, const Store&, const StepCost&) { return true; }

  bool act(std::size_t index, const Mma& mma, const StepCost& cost) {
    return start(index, std::nullopt, mma.group, cost);
  }

  bool act(std::size_t index, const Delay& delay, const StepCost& cost) {
    return start(index, delay.signals, delay.group, cost);
  }

  bool act(std::size_t index, const Exchange&, const StepCost& cost) {
    return start(index, std::nullopt, std::nullopt, cost);
  }

  bool act(std::size_t index, const Elementwise&, const StepCost& cost) {
    return start(index, std::nullopt, std::nullopt, cost);
  }

  bool act(std::size_t index, const Pause&, const StepCost& cost) {
    return start(index, std::nullopt, std::nullopt, cost);
  }

  /// In the background when its end signals a barrier or completes a group, else at once.
  bool start(std::size_t index, std::optional<BarrierIndex> signals,
             std::optional<GroupIndex> group, const StepCost& cost) {
    Instance& at = instances_[index];
    const bool is_tensor = cost.activity == Activity::kTensor;
    const PathTime& begin = is_tensor ? later(at.now, at.tensor_free) : at.now;
    const PathTime end = after(begin, at, cost);
    if (is_tensor) {
      first_tensor_cycles_ = std::min(first_tensor_cycles_, begin.cycles);
      at.tensor_free = end;
    }
    if (signals) arrive(*signals, index, end);
    if (group) at.group_done[*group] = end;
    if (!signals && !group) at.now = end;
    return true;
  }

  bool act(std::size_t index, const WaitGroup& wait, const StepCost& cost) {
    Instance& at = instances_[index];
    at.now = later(at.now, after(at.group_done[wait.group], at, cost));
    return true;
  }

  bool act(std::size_t index, const Arrive& arrival, const StepCost&) {
    arrive_now(index, arrival.index(instances_[index].number));
    return true;
  }

  bool act(std::size_t index, const Wait& wait, const StepCost&) {
    Instance& at = instances_[index];
    const BarrierIndex number = wait.index(at.number);
    const BarrierState& barrier = barriers_[number];
    const bool is_sync = barrier.kind == BarrierKind::kNamed || barrier.kind == BarrierKind::kCta;
    if (is_sync && !at.has_arrived) {
      arrive_now(index, number);
      at.has_arrived = true;
    }
    std::size_t& passed = at.waits_passed[number];
    const auto opened = barrier.kind == BarrierKind::kTurn ? turn_given(at, barrier, passed)
                                                           : phase_end(barrier, passed);
    if (!opened) return false;
    at.now = later(at.now, *opened);
    at.has_arrived = false;
    ++passed;
    return true;
  }

  void arrive_now(std::size_t index, std::size_t barrier) {
    const Instance& at = instances_[index];
    PathTime time = at.now;
    time.add(part_of(Activity::kBarrier, at.cursor.section), costs_.handoff_cycles[barrier]);
    arrive(barrier, index, time);
  }

  void arrive(std::size_t barrier, std::size_t index, const PathTime& time) {
    BarrierState& state = barriers_[barrier];
    const auto slot = std::ranges::find(state.arrivers, index) - state.arrivers.begin();
    state.arrivals[static_cast<std::size_t>(slot)].push_back(time);
  }

  /// When the wait number `wait` passes, or nothing if an arrival is still missing.
  static std::optional<PathTime> phase_end(const BarrierState& barrier, std::size_t wait) {
    PathTime end;
    if (wait < barrier.initially_free) return end;
    const std::size_t phase = wait - barrier.initially_free;
    for (const auto& times : barrier.arrivals) {
      if (times.size() <= phase) return std::nullopt;
      end = later(end, times[phase]);
    }
    if (barrier.arrivals.empty()) return std::nullopt;
    return end;
  }

  /// The turn comes from the instance before; the first one starts with it.
  static std::optional<PathTime> turn_given(const Instance& at, const BarrierState& barrier,
                                            std::size_t wait) {
    const auto number = static_cast<std::size_t>(at.number);
    if (number >= barrier.arrivals.size()) return std::nullopt;
    if (number == 0 && wait == 0) return PathTime{};
    const auto& times = number == 0 ? barrier.arrivals.back() : barrier.arrivals[number - 1];
    const std::size_t turn = number == 0 ? wait - 1 : wait;
    if (times.size() <= turn) return std::nullopt;
    return times[turn];
  }

  [[nodiscard]] std::string describe(const Instance& at) const {
    const Role& role = pipeline_.roles[at.role];
    const Cursor& cursor = at.cursor;
    const Step& step = role.steps(cursor.section)[cursor.index];
    return fmt::format(
        "deadlock: role {} (instance {} of {}), {} step {}, waits on {} for ever "
        "in trip {} of a loop of {}",
        role.name, at.number + 1, role.instances,
        kSectionNames[static_cast<std::size_t>(cursor.section)], cursor.index + 1, step.name,
        cursor.trip + 1, request_.trips);
  }

  const Pipeline& pipeline_;
  const ProgramCosts& costs_;
  const PathRequest& request_;
  std::vector<Instance> instances_;
  std::vector<BarrierState> barriers_;
  double first_tensor_cycles_ = std::numeric_limits<double>::infinity();
  PathResult result_;
};

}  // namespace

PathResult run_uncontended(const Pipeline& pipeline, const SizeScope& scope,
                           const ProgramCosts& costs, const PathRequest& request) {
  return Run(pipeline, scope, costs, request).finish();
}

}  // namespace fa3prof::sim
