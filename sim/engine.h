// One call from (machine, pipeline, problem) to a Result.
#pragma once

#include "sim/machine.h"
#include "sim/pipeline.h"
#include "src/core/attention_problem.h"
#include "src/core/result.h"

#include <string_view>

namespace fa3prof::sim {

enum class Engine { kClosedForm, kDiscreteEvent };

/// "closed_form", "discrete_event".
[[nodiscard]] std::string_view name_of(Engine engine);

/// Inverse of name_of. Throws UsageError naming the choices.
[[nodiscard]] Engine parse_engine(std::string_view text);

/// The event engine, but for pipelines whose ramp is stated, not computed: those have no program to
/// run.
[[nodiscard]] Engine default_engine(const Pipeline& pipeline);

/// Runs the model. Deterministic and pure. Fills source, kernel, pipeline, machine, problem,
/// cycles, clock, time, tflops, peak with its basis, executed_flops, limiter, breakdown (sums to
/// cycles) and terms. Throws UsageError when the pipeline cannot run the problem or does not fit
/// the machine.
[[nodiscard]] core::Result simulate(Engine engine, const Machine& machine, const Pipeline& pipeline,
                                    const core::AttentionProblem& problem);

}  // namespace fa3prof::sim
