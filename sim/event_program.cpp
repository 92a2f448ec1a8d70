#include "sim/event_program.h"

#include "sim/closed_form.h"

#include <algorithm>

namespace fa3prof::sim {
namespace {

constexpr double kWgmmaRows = 64.0;        // M of a WGMMA instruction
constexpr double kWgmmaDepthBytes = 32.0;  // K of a WGMMA instruction

/// Work on units that steps share; what the step takes beyond its busiest unit is latency.
void claim_units(const StepCost& cost, EventOp& op) {
  double longest = cost.work_cycles;
  for (std::size_t i = 0; i < kSharedUnits; ++i) longest = std::max(longest, cost.busy_cycles[i]);
  op.work = to_ticks(longest);
  op.latency = std::max<Ticks>(0, to_ticks(cost.alone_cycles) - op.work);
  if (longest == 0.0) return;
  for (std::size_t i = 0; i < kSharedUnits; ++i) op.share[i] = cost.busy_cycles[i] / longest;
}

/// All SMs read at about the same time; each gets an equal share of the memory.
double memory_share_cycles(const Machine& machine, double bytes) {
  const Machine::Number clock = clock_mhz(machine);
  if (!clock || !machine.hbm_bytes_per_s) return 0.0;
  return bytes * static_cast<double>(machine.sm_count) / *machine.hbm_bytes_per_s * *clock * 1e6;
}

/// Translates one step.
class Translator {
 public:
  Translator(const CostContext& context, const StepCost& cost) : at_(context), cost_(cost) {
    op_.activity = cost.activity;
    op_.busy_cycles = cost.busy_cycles;
  }

  EventOp operator()(const Load& load) {
    op_.kind = load.by == CopyUnit::kTma ? OpKind::kLoad : OpKind::kCopy;
    op_.work = to_ticks(cost_.busy(Resource::kLoad));
    op_.l2_work = to_ticks(cost_.busy(Resource::kL2));
    op_.is_from_memory = load.is_from_memory;
    op_.memory_work = to_ticks(memory_share_cycles(at_.machine, load.bytes.value(at_.scope)));
    op_.miss_latency = to_ticks(miss_cycles(at_.machine));
    // The cost has a miss in it where the step says so.
    op_.latency = to_ticks(cost_.alone_cycles - cost_.busy(Resource::kLoad)) -
                  (load.is_from_memory ? op_.miss_latency : 0);
    op_.barrier = load.signals.value_or(kNone);
    op_.group = load.group.value_or(kNone);
    return op_;
  }

  EventOp operator()(const Exchange&) {
    claim_units(cost_, op_);
    return op_;
  }

  EventOp operator()(const Store&) {
    op_.latency = to_ticks(cost_.alone_cycles);
    return op_;
  }

  EventOp operator()(const Pause&) {
    op_.latency = to_ticks(cost_.alone_cycles);
    return op_;
  }

  EventOp operator()(const Wait& wait) {
    op_.kind = OpKind::kWait;
    op_.barrier = wait.barrier;
    op_.is_own = wait.is_own;
    const BarrierKind kind = at_.pipeline.barriers[wait.barrier].kind;
    if (kind == BarrierKind::kMbarrier) {
      op_.latency = to_ticks(at_.machine.mbarrier_open_cycles.value_or(0.0));
    } else if (kind == BarrierKind::kTurn) {
      op_.latency = to_ticks(at_.machine.named_barrier_open_cycles.value_or(0.0));
    }
    return op_;
  }

  EventOp operator()(const Arrive& arrive) {
    op_.kind = OpKind::kArrive;
    op_.barrier = arrive.barrier;
    op_.is_own = arrive.is_own;
    return op_;
  }

  EventOp operator()(const Mma& mma) {
    if (mma.by == MmaUnit::kMmaSync) {
      claim_units(cost_, op_);
      return op_;
    }
    const double depth = kWgmmaDepthBytes / at_.scope[SizeName::kElementBytes];
    const double count = mma.m.value(at_.scope) / kWgmmaRows * mma.k.value(at_.scope) / depth;
    op_.kind = OpKind::kIssue;
    op_.instructions = std::max(1, static_cast<int>(std::lround(std::min(count, 1e6))));
    op_.instruction = to_ticks(cost_.alone_cycles / op_.instructions);
    op_.group = mma.group.value_or(kNone);
    op_.waits_for_itself = !mma.group;
    op_.latency = to_ticks(at_.machine.wgmma_wait_cycles.value_or(0.0));
    return op_;
  }

  EventOp operator()(const WaitGroup& wait) {
    op_.kind = OpKind::kWaitGroup;
    op_.group = wait.group;
    return op_;
  }

  EventOp operator()(const Elementwise&) {
    claim_units(cost_, op_);
    const double own = at_.machine.own_wgmma_slowdown_over_others_ratio.value_or(1.0);
    const double slowdown = slowdown_beside_wgmma();
    op_.speed_beside_wgmma = 1.0 / slowdown;
    op_.speed_beside_own_wgmma = 1.0 / (slowdown * own);
    op_.stalls_wgmma = cost_.stalls_wgmma();
    return op_;
  }

  EventOp operator()(const Delay& delay) {
    op_.barrier = delay.signals.value_or(kNone);
    op_.group = delay.group.value_or(kNone);
    if (!delay.signals && !delay.group) {
      claim_units(cost_, op_);
      return op_;
    }
    op_.kind = OpKind::kBackground;
    op_.work = to_ticks(delay.cycles);
    if (delay.unit == Resource::kLoad) op_.kind = OpKind::kLoad;
    if (delay.unit == Resource::kTensor) {
      op_.kind = OpKind::kIssue;
      op_.instructions = 1;
      op_.instruction = op_.work;
      op_.blocks = false;
    }
    return op_;
  }

 private:
  /// Each unit's part of the work is slower by a ratio of its own. The ALU's part and half of
  /// FP32's come on top of exponentials: the mixes that calibrate runs beside WGMMA take that
  /// within 4 %.
  [[nodiscard]] double slowdown_beside_wgmma() const {
    if (cost_.work_cycles == 0.0) return 1.0;
    const Machine& machine = at_.machine;
    const double mufu_ratio = machine.mufu_slowdown_beside_wgmma_ratio.value_or(1.0);
    const double mufu = cost_.busy(Resource::kMufu) * mufu_ratio;
    const double alu =
        cost_.busy(Resource::kAlu) * machine.alu_slowdown_beside_wgmma_ratio.value_or(mufu_ratio);
    const double fp32 =
        cost_.busy(Resource::kFp32) * machine.fp32_slowdown_beside_wgmma_ratio.value_or(mufu_ratio);
    const double slowed = mufu > 0.0 ? mufu + alu + fp32 / 2.0 : std::max(alu, fp32);
    return std::max(1.0, slowed / cost_.work_cycles);
  }

  const CostContext& at_;
  const StepCost& cost_;
  EventOp op_;
};

bool uses_tensor(const EventProgram::RoleOps& role) {
  return std::ranges::any_of(role.sections, [](const std::vector<EventOp>& ops) {
    return std::ranges::any_of(ops,
                               [](const EventOp& op) { return op.activity == Activity::kTensor; });
  });
}

void add_barriers(const CostContext& at, const ProgramCosts& costs, EventProgram& program) {
  for (const Barrier& barrier : at.pipeline.barriers) {
    program.initially_free.push_back(
        static_cast<std::int64_t>(barrier.initially_free.value(at.scope)));
  }
  for (const double cycles : costs.handoff_cycles) program.handoff.push_back(to_ticks(cycles));
  program.is_load_signal.resize(at.pipeline.barriers.size());
  for (const auto& role : program.roles) {
    for (const auto& ops : role.sections) {
      for (const EventOp& op : ops) {
        const bool is_load = op.kind == OpKind::kLoad || op.kind == OpKind::kCopy;
        if (is_load && op.barrier != kNone) program.is_load_signal[op.barrier] = true;
      }
    }
  }
}

}  // namespace

EventProgram event_program(const CostContext& context, const ProgramCosts& costs) {
  const CostContext& at = context;
  EventProgram program;
  program.pipeline = &at.pipeline;
  program.has_cross = at.pipeline.has_cross();
  for (std::size_t r = 0; r < at.pipeline.roles.size(); ++r) {
    const Role& role = at.pipeline.roles[r];
    EventProgram::RoleOps& ops = program.roles.emplace_back();
    for (std::size_t section = 0; section < role.sections.size(); ++section) {
      for (std::size_t i = 0; i < role.sections[section].size(); ++i) {
        const StepCost& cost = costs.roles[r].sections[section][i];
        ops.sections[section].push_back(
            std::visit(Translator(at, cost), role.sections[section][i].action));
      }
    }
    ops.uses_tensor = uses_tensor(ops);
  }
  add_barriers(at, costs, program);
  const Machine& machine = at.machine;
  program.issue_ahead = static_cast<int>(machine.wgmma_issue_ahead_instructions.value_or(1.0));
  program.tensor_start = to_ticks(machine.wgmma_start_cycles.value_or(0.0));
  program.stall_per_fp32 = machine.wgmma_stall_per_fp32_cycle.value_or(0.0);
  const double buffer_bytes = shared_memory_bytes(at.pipeline, at.scope);
  if (machine.l2_bytes_per_cycle) {
    program.l2_ahead = to_ticks(buffer_bytes * static_cast<double>(machine.sm_count) /
                                *machine.l2_bytes_per_cycle);
  }
  return program;
}

}  // namespace fa3prof::sim
