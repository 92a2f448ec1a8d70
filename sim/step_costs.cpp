#include "sim/step_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace fa3prof::sim {
namespace {

constexpr double kWgmmaRows = 64.0;       // M of a WGMMA instruction
constexpr double kCopyChunkBytes = 16.0;  // of one cp.async, or of a thread's load

double& busy(StepCost& cost, Resource resource) {
  return cost.busy_cycles[static_cast<std::size_t>(resource)];
}

/// Looks numbers up for one step and names it in errors.
class Pricer {
 public:
  Pricer(const CostContext& context, const Role& role, const Step& step)
      : at_(context), role_(role), step_(step) {}

  StepCost operator()(const Load& load) const {
    const double bytes = load.bytes.value(at_.scope);
    StepCost cost{.activity = Activity::kLoad};
    busy(cost, Resource::kLoad) = bytes / load_rate(load.by);
    const bool stays_in_registers = at_.pipeline.buffers[load.buffer].is_in_registers;
    if (!stays_in_registers) {
      busy(cost, Resource::kSharedMemory) = bytes / need(&Machine::shared_memory_bytes_per_cycle);
    }
    busy(cost, Resource::kL2) = l2_share_cycles(bytes);
    if (load.by != CopyUnit::kTma) {
      const double instructions = load.by == CopyUnit::kCpAsync || stays_in_registers ? 1.0 : 2.0;
      busy(cost, Resource::kIssue) =
          instructions * bytes / kCopyChunkBytes / need(&Machine::issue_per_cycle);
    }
    cost.alone_cycles = load_latency(load) + busy(cost, Resource::kLoad);
    return cost;
  }

  StepCost operator()(const Store& store) const {
    const double bytes = store.bytes.value(at_.scope);
    StepCost cost{.activity = Activity::kLoad};
    busy(cost, Resource::kL2) = l2_share_cycles(bytes);
    // The next work needs the registers that hold the bytes.
    if (const auto rate = at_.machine.store_bytes_per_cycle) cost.alone_cycles = bytes / *rate;
    return cost;
  }

  StepCost operator()(const Exchange& exchange) const {
    StepCost cost{.activity = Activity::kElementwise};
    busy(cost, Resource::kSharedMemory) =
        2.0 * exchange.bytes.value(at_.scope) / need(&Machine::shared_memory_bytes_per_cycle);
    cost.alone_cycles = cost.work_cycles = busy(cost, Resource::kSharedMemory);
    return cost;
  }

  StepCost operator()(const Wait&) const { return {}; }

  StepCost operator()(const Arrive&) const { return {}; }

  StepCost operator()(const Pause& pause) const {
    constexpr std::array kTimes{&Machine::atomic_cycles, &Machine::register_change_cycles,
                                &Machine::tensor_map_cycles};  // as StatedTime
    const auto& time = at_.machine.*kTimes.at(static_cast<std::size_t>(pause.time));
    return {.alone_cycles = time.value_or(0.0), .activity = Activity::kLoad};
  }

  StepCost operator()(const Mma& mma) const {
    const double m = mma.m.value(at_.scope);
    const double n = mma.n.value(at_.scope);
    const double k = mma.k.value(at_.scope);
    const double element_bytes = at_.scope[SizeName::kElementBytes];
    // WGMMA reads B once for its 64 rows; with mma.sync every warp reads all of B.
    const double b_reads = mma.by == MmaUnit::kWgmma ? m / kWgmmaRows : role_.warps;
    const double a_reads = !mma.is_a_shared ? 0.0 : mma.is_b_shared ? 1.0 : role_.warps;
    const double bytes = element_bytes * k * (m * a_reads + (mma.is_b_shared ? n * b_reads : 0.0));
    StepCost cost{.activity = Activity::kTensor};
    busy(cost, Resource::kTensor) = 2.0 * m * n * k / mma_rate(mma.by);
    busy(cost, Resource::kSharedMemory) = bytes / need(&Machine::shared_memory_bytes_per_cycle);
    cost.alone_cycles = cost.longest_busy_cycles();
    return cost;
  }

  StepCost operator()(const WaitGroup& wait) const {
    return {.alone_cycles = is_wgmma(wait.group) ? need(&Machine::wgmma_wait_cycles) : 0.0};
  }

  StepCost operator()(const Elementwise& step) const {
    StepCost cost{.activity = Activity::kElementwise};
    const double elements = step.elements.value(at_.scope);
    double convert_cycles = 0.0;
    for (std::size_t i = 0; i < step.operations.size(); ++i) {
      const double count = elements * step.operations[i];
      if (count == 0.0) continue;
      const auto [unit, rate] = unit_of(static_cast<Operation>(i));
      busy(cost, unit) += count / need(rate);
      if (static_cast<Operation>(i) == Operation::kConvert) convert_cycles += count / need(rate);
      busy(cost, Resource::kIssue) += count / need(&Machine::issue_per_cycle);
    }
    // A warp alone on its quadrant does not do its conversions beside its exponentials, as several
    // warps together do (calibrate, mix_ffma_ex2_fadd_f2fp with 4 and with 8 warps).
    const double exponentials_cycles = cost.busy(Resource::kMufu);
    cost.work_cycles =
        std::max(cost.longest_busy_cycles(),
                 exponentials_cycles > 0.0 ? exponentials_cycles + convert_cycles : 0.0);
    cost.alone_cycles = cost.work_cycles;
    for (std::size_t i = 0; i < step.dependent.size(); ++i) {
      if (step.dependent[i] == 0.0) continue;
      cost.alone_cycles += step.dependent[i] * latency_of(static_cast<Operation>(i));
    }
    return cost;
  }

  StepCost operator()(const Delay& delay) const {
    StepCost cost{.alone_cycles = delay.cycles};
    if (delay.unit) {
      cost.activity = activity_of(*delay.unit);
      busy(cost, *delay.unit) = delay.cycles;
    }
    return cost;
  }

  [[nodiscard]] double need(Machine::Number Machine::*member) const {
    if (const auto& number = at_.machine.*member) return *number;
    return required(
        at_.machine, member,
        fmt::format("pipeline {}, role {}, step {}", at_.pipeline.name, role_.name, step_.name));
  }

  [[nodiscard]] double mma_rate(MmaUnit unit) const {
    const bool is_fp8 = at_.dtype == core::DataType::kFloat8E4M3;
    if (unit == MmaUnit::kMmaSync) return need(&Machine::mma_sync_fp16_flop_per_cycle);
    return need(is_fp8 ? &Machine::wgmma_fp8_flop_per_cycle : &Machine::wgmma_fp16_flop_per_cycle);
  }

  [[nodiscard]] double load_latency(const Load& load) const {
    const double hit = need(load.by == CopyUnit::kTma ? &Machine::tma_latency_cycles
                                                      : &Machine::cp_async_latency_cycles);
    return load.is_from_memory ? hit + miss_cycles(at_.machine) : hit;
  }

  /// Of an instruction whose result the next one needs; but for a shuffle's, 0 where not stated.
  [[nodiscard]] double latency_of(Operation operation) const {
    switch (unit_of(operation).unit) {
      case Resource::kShuffle:
        return need(&Machine::shuffle_latency_cycles);
      case Resource::kMufu:
        return at_.machine.mufu_latency_cycles.value_or(0.0);
      case Resource::kFp32:
        return at_.machine.fp32_latency_cycles.value_or(0.0);
      default:
        return at_.machine.alu_latency_cycles.value_or(0.0);
    }
  }

  [[nodiscard]] double load_rate(CopyUnit unit) const {
    return need(unit == CopyUnit::kTma ? &Machine::tma_bytes_per_cycle
                                       : &Machine::cp_async_bytes_per_cycle);
  }

  struct UnitRate {
    Resource unit;
    Machine::Number Machine::*rate;
  };

  [[nodiscard]] UnitRate unit_of(Operation operation) const {
    switch (operation) {
      case Operation::kFma:
      case Operation::kAdd:
      case Operation::kMul:
        return {Resource::kFp32, &Machine::fp32_per_cycle};
      case Operation::kExp2:
        return {Resource::kMufu, &Machine::mufu_per_cycle};
      case Operation::kConvert:
        return {Resource::kAlu, at_.dtype == core::DataType::kFloat8E4M3
                                    ? &Machine::convert_fp8_per_cycle
                                    : &Machine::convert_fp16_per_cycle};
      case Operation::kShuffle:
        return {Resource::kShuffle, &Machine::shuffle_per_cycle};
      case Operation::kMax:
      case Operation::kSelect:
        break;
    }
    return {Resource::kAlu, &Machine::alu_per_cycle};
  }

 private:
  /// All SMs read at the same time, each gets an equal share of the L2's bandwidth.
  [[nodiscard]] double l2_share_cycles(double bytes) const {
    return bytes * static_cast<double>(at_.machine.sm_count) / need(&Machine::l2_bytes_per_cycle);
  }

  [[nodiscard]] bool is_wgmma(GroupIndex group) const {
    const auto issues = [group](const Step& step) {
      const auto* mma = std::get_if<Mma>(&step.action);
      return mma != nullptr && mma->group == group;
    };
    return std::ranges::any_of(role_.sections, [&](const std::vector<Step>& steps) {
      return std::ranges::any_of(steps, issues);
    });
  }

  const CostContext& at_;
  const Role& role_;
  const Step& step_;
};

double handoff_cycles(const CostContext& at, const Barrier& barrier) {
  auto member = &Machine::named_barrier_cycles;
  if (barrier.kind == BarrierKind::kMbarrier) member = &Machine::mbarrier_cycles;
  if (barrier.kind == BarrierKind::kCta) member = &Machine::cta_barrier_cycles;
  return required(at.machine, member,
                  fmt::format("pipeline {}, barrier {}", at.pipeline.name, barrier.name));
}

std::string elementwise_formula(const Pricer& pricer, const Elementwise& step,
                                const CostContext& at) {
  const StepCost cost = pricer(step);
  const Resource unit = cost.busiest();
  const bool is_issue = unit == Resource::kIssue;
  std::string text;
  for (std::size_t i = 0; i < step.operations.size(); ++i) {
    const auto used = pricer.unit_of(static_cast<Operation>(i));
    const bool adds_to_exp2 =
        unit == Resource::kMufu && static_cast<Operation>(i) == Operation::kConvert;
    if (step.operations[i] == 0.0 || (used.unit != unit && !is_issue && !adds_to_exp2)) continue;
    if (!text.empty()) text += " + ";
    text += step.elements.formula(at.scope);
    if (step.operations[i] != 1.0) text += fmt::format(" * {}", step.operations[i]);
    text += fmt::format(" {} / {}", kOperationNames[i],
                        pricer.need(is_issue ? &Machine::issue_per_cycle : used.rate));
  }
  for (std::size_t i = 0; i < step.dependent.size(); ++i) {
    const double latency = pricer.latency_of(static_cast<Operation>(i));
    if (step.dependent[i] * latency == 0.0) continue;
    text += fmt::format(" + {} dependent {} * {}", step.dependent[i], kOperationNames[i], latency);
  }
  return text;
}

}  // namespace

ProgramCosts program_costs(const CostContext& context) {
  ProgramCosts costs;
  for (const Role& role : context.pipeline.roles) {
    auto& sections = costs.roles.emplace_back().sections;
    for (std::size_t i = 0; i < role.sections.size(); ++i) {
      sections[i].reserve(role.sections[i].size());
      for (const Step& step : role.sections[i]) {
        sections[i].push_back(std::visit(Pricer(context, role, step), step.action));
      }
    }
  }
  for (const Barrier& barrier : context.pipeline.barriers) {
    costs.handoff_cycles.push_back(handoff_cycles(context, barrier));
  }
  return costs;
}

std::string cost_formula(const CostContext& context, const Role& role, const Step& step) {
  const Pricer pricer(context, role, step);
  if (const auto* mma = std::get_if<Mma>(&step.action)) {
    const StepCost cost = pricer(*mma);
    if (cost.busy(Resource::kSharedMemory) > cost.busy(Resource::kTensor)) {
      const double rate = pricer.need(&Machine::shared_memory_bytes_per_cycle);
      return fmt::format("{} operand bytes / {} shared memory",
                         cost.busy(Resource::kSharedMemory) * rate, rate);
    }
    return fmt::format("2 * {} * {} * {} / {} tensor", mma->m.formula(context.scope),
                       mma->n.formula(context.scope), mma->k.formula(context.scope),
                       pricer.mma_rate(mma->by));
  }
  if (const auto* load = std::get_if<Load>(&step.action)) {
    return fmt::format("{} latency + {} / {}", pricer.load_latency(*load),
                       load->bytes.formula(context.scope), pricer.load_rate(load->by));
  }
  if (const auto* elementwise = std::get_if<Elementwise>(&step.action)) {
    return elementwise_formula(pricer, *elementwise, context);
  }
  const StepCost cost = std::visit(pricer, step.action);
  return cost.alone_cycles > 0.0 ? fmt::format("{}", cost.alone_cycles) : "";
}

}  // namespace fa3prof::sim
