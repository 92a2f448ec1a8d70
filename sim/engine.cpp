#include "sim/engine.h"

#include "sim/closed_form.h"
#include "sim/closed_form_terms.h"
#include "sim/discrete_event.h"
#include "sim/fit.h"
#include "sim/load_clock.h"
#include "sim/row_loop.h"
#include "src/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fa3prof::sim {
namespace {

constexpr double kTera = 1e12;

/// Dense tensor peak of the machine for a data type at its datasheet clock, in TFLOPS.
std::optional<double> peak_tflops(const Machine& machine, core::DataType dtype) {
  const Machine::Number rate =
      dtype == core::DataType::kFloat8E4M3 ? machine.wgmma_fp8_flop_per_cycle
      : machine.wgmma_fp16_flop_per_cycle  ? machine.wgmma_fp16_flop_per_cycle
                                           : machine.mma_sync_fp16_flop_per_cycle;
  if (!rate || !machine.clock_spec_mhz) return std::nullopt;
  return *rate * static_cast<double>(machine.sm_count) * *machine.clock_spec_mhz * 1e6 / kTera;
}

/// `machine` is under the load of what ran.
void add_time(const Machine& machine, core::Result& result) {
  result.peak_tflops = peak_tflops(machine, result.problem.dtype);
  if (result.peak_tflops) result.peak_basis = fmt::format("spec {} MHz", *machine.clock_spec_mhz);
  const Machine::Number clock = clock_mhz(machine);
  if (!clock) return;
  result.clock_mhz = clock;
  result.time_us = *result.cycles / *clock;
  if (*result.time_us > 0.0) {
    result.tflops = core::flops_convention(result.problem) / (*result.time_us * 1e-6) / kTera;
  }
}

/// Absurd numbers in a file must not end as a figure.
void refuse_nonsense(core::Result& result) {
  if (!std::isfinite(*result.cycles) || !std::isfinite(result.time_us.value_or(0.0)) ||
      !std::isfinite(result.tflops.value_or(0.0))) {
    throw core::UsageError(
        fmt::format("pipeline {} on machine {} takes {} cycles: a size, count or rate in the files "
                    "is out of all bounds",
                    result.pipeline, result.machine, *result.cycles));
  }
  if (result.tflops && result.peak_tflops && *result.tflops > *result.peak_tflops) {
    result.warnings.push_back(
        fmt::format("{} is above the machine's peak: the pipeline leaves out work that the problem "
                    "needs, or the assumed clock is above the peak's",
                    result.kernel));
  }
}

core::Result result_of(const ClosedFormInputs& in, const Breakdown& breakdown) {
  core::Result result;
  result.kernel = in.pipeline.kernel;
  result.pipeline = in.pipeline.name;
  result.machine = in.machine.name;
  result.problem = in.problem;
  result.cycles = breakdown.sum();
  result.executed_flops = core::flops_tile_padded(in.problem, in.tile);
  for (std::size_t i = 0; i < kCategoryNames.size(); ++i) {
    result.breakdown.push_back(
        {.category = std::string(kCategoryNames[i]), .cycles = breakdown.cycles[i]});
  }
  return result;
}

core::Result discrete_event_result(const Machine& machine, const Pipeline& unshaped,
                                   const core::AttentionProblem& problem) {
  if (unshaped.stated_ramp_iterations) {
    throw core::UsageError("pipeline " + unshaped.name +
                           " states ramp_iterations, which only --engine closed_form knows");
  }
  Pipeline pipeline = shaped_for(unshaped, problem);
  const TileSizes sizes = tile_sizes(pipeline, problem);
  find_misses(machine, problem, sizes, pipeline);
  check_fit(machine, pipeline, sizes.scope);
  const CostContext context{machine, pipeline, sizes.scope, problem.dtype};
  const ClosedFormInputs inputs{machine, pipeline, problem, sizes.tile};
  const DiscreteEvent run = evaluate_discrete_event(context, inputs, sizes);
  core::Result result = result_of(inputs, run.breakdown);
  result.source = core::ResultSource::kDiscreteEvent;
  result.limiter = run.limiter;
  result.terms = describe_terms(inputs, run);
  add_time(machine, result);
  refuse_nonsense(result);
  return result;
}

core::Result closed_form_result(const Machine& machine, const Pipeline& unshaped,
                                const core::AttentionProblem& problem) {
  Pipeline pipeline = shaped_for(unshaped, problem);
  const TileSizes sizes = tile_sizes(pipeline, problem);
  find_misses(machine, problem, sizes, pipeline);
  const CostContext context{machine, pipeline, sizes.scope, problem.dtype};
  const ClosedFormInputs inputs{machine, pipeline, problem, sizes.tile};
  const TileModel model(context, most_loop_trips(pipeline, problem, sizes.tile));
  check_fit(machine, pipeline, sizes.scope);
  const ClosedForm form = evaluate_closed_form(inputs, model);

  core::Result result = result_of(inputs, form.breakdown);
  result.source = core::ResultSource::kClosedForm;
  result.limiter = form.limiter;
  result.terms = describe_terms(context, inputs, model, form);
  add_time(machine, result);
  refuse_nonsense(result);
  return result;
}

}  // namespace

std::string_view name_of(Engine engine) {
  switch (engine) {
    case Engine::kClosedForm:
      return "closed_form";
    case Engine::kDiscreteEvent:
      return "discrete_event";
  }
  throw core::UsageError("unknown engine");
}

Engine parse_engine(std::string_view text) {
  for (const Engine engine : {Engine::kClosedForm, Engine::kDiscreteEvent}) {
    if (text == name_of(engine)) return engine;
  }
  throw core::UsageError(
      fmt::format("unknown engine '{}': choose discrete_event or closed_form", text));
}

Engine default_engine(const Pipeline& pipeline) {
  return pipeline.stated_ramp_iterations ? Engine::kClosedForm : Engine::kDiscreteEvent;
}

core::Result simulate(Engine engine, const Machine& machine, const Pipeline& pipeline,
                      const core::AttentionProblem& problem) {
  core::validate(problem);
  const Machine loaded = under_load_of(pipeline, machine);
  core::Result result = engine == Engine::kClosedForm
                            ? closed_form_result(loaded, pipeline, problem)
                            : discrete_event_result(loaded, pipeline, problem);
  if (result.clock_mhz) result.clock_basis = clock_basis(pipeline, machine);
  return result;
}

}  // namespace fa3prof::sim
