// Which of a machine's numbers a simulated result depends on, and how much.
#pragma once

#include "sim/engine.h"
#include "src/core/what_if.h"

#include <vector>

namespace fa3prof::sim {

/// What is moved, and how far.
struct SensitivityRequest {
  Engine engine = Engine::kDiscreteEvent;
  const Machine& machine;
  const Pipeline& pipeline;
  const core::AttentionProblem& problem;
  double step_ratio = 0.1;  ///< in 0..1, exclusive
};

/// Simulates with each number of the machine moved down and up by the step, all others as they are.
/// Largest effect first; numbers that change nothing are left out. A slowdown stays >= 1, sm_count
/// an integer. A side on which the pipeline cannot run has the reason.
[[nodiscard]] std::vector<core::Sensitivity> sensitivities(const SensitivityRequest& request);

/// By how much the time moves at most, as a ratio; a side that cannot run counts most.
[[nodiscard]] double effect_ratio(const core::Sensitivity& sensitivity);

}  // namespace fa3prof::sim
