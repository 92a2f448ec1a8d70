#include "sim/engine.h"

#include "sim/closed_form.h"
#include "sim/closed_form_terms.h"
#include "sim/fit.h"
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

std::string clock_basis(const Machine& machine) {
  const std::string_view key = machine.clock_load_mhz ? "clock_load_mhz" : "clock_max_mhz";
  return fmt::format("{} of machine {}", key, machine.name);
}

void add_time(const Machine& machine, core::Result& result) {
  result.peak_tflops = peak_tflops(machine, result.problem.dtype);
  if (result.peak_tflops) result.peak_basis = fmt::format("spec {} MHz", *machine.clock_spec_mhz);
  const Machine::Number clock = clock_mhz(machine);
  if (!clock) return;
  result.clock_mhz = clock;
  result.clock_basis = clock_basis(machine);
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

core::Result closed_form_result(const Machine& machine, const Pipeline& unshaped,
                                const core::AttentionProblem& problem) {
  const Pipeline pipeline = shaped_for(unshaped, problem);
  const TileSizes sizes = tile_sizes(pipeline, problem);
  const CostContext context{machine, pipeline, sizes.scope, problem.dtype};
  const ClosedFormInputs inputs{machine, pipeline, problem, sizes.tile};
  const std::int64_t most_blocks = core::key_blocks(problem, problem.seqlen_q, sizes.tile.n);
  const TileModel model(context, loop_trips(pipeline, most_blocks));
  check_fit(machine, pipeline, sizes.scope);
  const ClosedForm form = evaluate_closed_form(inputs, model);

  core::Result result;
  result.source = core::ResultSource::kClosedForm;
  result.kernel = pipeline.kernel;
  result.pipeline = pipeline.name;
  result.machine = machine.name;
  result.problem = problem;
  result.cycles = form.cycles;
  result.executed_flops = core::flops_tile_padded(problem, sizes.tile);
  result.limiter = form.limiter;
  for (std::size_t i = 0; i < kCategoryNames.size(); ++i) {
    result.breakdown.push_back(
        {.category = std::string(kCategoryNames[i]), .cycles = form.breakdown.cycles[i]});
  }
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
  }
  throw core::UsageError("unknown engine");
}

Engine parse_engine(std::string_view text) {
  if (text == name_of(Engine::kClosedForm)) return Engine::kClosedForm;
  throw core::UsageError(fmt::format("unknown engine '{}': choose closed_form", text));
}

core::Result simulate(Engine engine, const Machine& machine, const Pipeline& pipeline,
                      const core::AttentionProblem& problem) {
  core::validate(problem);
  switch (engine) {
    case Engine::kClosedForm:
      return closed_form_result(machine, pipeline, problem);
  }
  throw core::UsageError("unknown engine");
}

}  // namespace fa3prof::sim
