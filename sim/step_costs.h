// What one step costs on a machine: the time it takes alone and the units it keeps busy. Both are
// independent of the engine that puts steps together.
#pragma once

#include "sim/machine.h"
#include "sim/pipeline.h"

#include <array>
#include <string>
#include <vector>

namespace fa3prof::sim {

/// What time is spent on.
enum class Activity { kTensor, kElementwise, kLoad, kBarrier };

[[nodiscard]] Activity activity_of(Resource resource);

/// Cycles of one step of one role instance.
struct StepCost {
  double alone_cycles = 0.0;  ///< start to end with every unit to itself, latencies included
  double work_cycles = 0.0;   ///< of an elementwise step: the same without its dependent latencies
  std::array<double, kResources> busy_cycles{};
  Activity activity = Activity::kBarrier;

  [[nodiscard]] double busy(Resource resource) const {
    return busy_cycles[static_cast<std::size_t>(resource)];
  }

  [[nodiscard]] Resource busiest() const;

  [[nodiscard]] double longest_busy_cycles() const;

  /// Whether it is a row of FP32 instructions, which hold up WGMMA beside them; among exponentials
  /// they do not.
  [[nodiscard]] bool stalls_wgmma() const {
    return activity == Activity::kElementwise && busiest() == Resource::kFp32;
  }

  /// Start to end while `copies` CTAs do this step at the same time and share the units fairly.
  [[nodiscard]] double cycles(int copies) const;
};

/// Costs of a whole program, shaped as Pipeline::roles and Pipeline::barriers.
struct ProgramCosts {
  struct RoleCosts {
    std::array<std::vector<StepCost>, kSectionNames.size()> sections;
  };

  std::vector<RoleCosts> roles;
  std::vector<double> handoff_cycles;  ///< of each barrier: an arrival to the waiting thread
};

/// Where a cost is asked for.
struct CostContext {
  const Machine& machine;
  const Pipeline& pipeline;
  const SizeScope& scope;
  core::DataType dtype = core::DataType::kFloat16;
};

/// Throws UsageError when the machine lacks a number that a step needs ("pipeline fa3_fp16, role
/// consumer, step scores needs wgmma_fp16_flop_per_cycle, which machine a100_sxm does not state").
[[nodiscard]] ProgramCosts program_costs(const CostContext& context);

/// How alone_cycles comes about, with numbers: "2 * 64 * 176 * 128 / 4096 tensor"; empty for a step
/// that takes no time.
[[nodiscard]] std::string cost_formula(const CostContext& context, const Role& role,
                                       const Step& step);

}  // namespace fa3prof::sim
