// Launches with stamps of a GpuRun: apart from timing, and set against it for what they cost.
#include "src/core/statistics.h"
#include "src/profile/gpu_run.h"
#include "src/profile/peak.h"
#include "src/profile/sampler.h"
#include "src/profile/stage_tracer.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace fa3prof::profile {
namespace {

constexpr int kTracedRounds = 40;
constexpr double kRowsOfWarpgroup = 64.0;  // whose GEMMs are issued one by one

double median_us(const std::vector<TimedLaunch>& launches) {
  std::vector<double> times_us;
  times_us.reserve(launches.size());
  for (const TimedLaunch& launch : launches) times_us.push_back(launch.duration_us);
  return core::median(times_us);
}

}  // namespace

void GpuRun::trace() {
  if (!request_.trace_ctas) return;
  for (Entrant* entrant : passed()) {
    const std::string step = fmt::format("tracing {}", entrant->candidate.name);
    report(step);
    name_device_errors(step, [this, entrant] { trace(*entrant); });
  }
}

void GpuRun::trace(Entrant& entrant) {
  Measurement& measurement = *entrant.measurement;
  const auto& own = entrant.candidate.own;
  const auto rate = tensor_flops_per_clock_per_sm(gpu_, measurement.multiplies);
  if (!rate) {
    measurement.not_traced_reason = "the rate of this GPU's tensor cores is not known";
    return;
  }
  if (!own || !kernels::has_stage_trace(*own, request_.problem)) {
    measurement.not_traced_reason = "no instance with stamps for this kernel, head_dim and type";
    return;
  }
  const auto description = entrant.candidate.describe();
  const StageTracer tracer(*own, request_.problem,
                           plan_trace(request_.problem, description, *request_.trace_ctas));
  kernels::AttentionTensors tensors = buffers_->tensors();
  tensors.workspace = entrant.workspace->get();
  tensors.quantized = entrant.quantized_inputs;
  const SamplingPlan plan{
      .cache = request_.cache, .warmup_rounds = request_.warmup_launches, .rounds = kTracedRounds};
  Sampler sampler(
      *timer_,
      {launcher(entrant, " (while tracing)"), [&] { tracer.launch(tensors, stream_.get()); }}, plan,
      [](std::size_t) { return true; });
  try {
    sampler.run();
  } catch (const StuckLaunch&) {
    fail_stuck(entrant, " (while tracing)");
  }
  core::StageTrace trace = tracer.collect(stream_.get());
  trace.launch_us = sampler.samples()[1].back().duration_us;
  trace.timed_us = median_us(sampler.samples()[0]);
  trace.traced_us = median_us(sampler.samples()[1]);
  trace.scores_cycles = 2.0 * kRowsOfWarpgroup * static_cast<double>(description.tile.n) *
                        static_cast<double>(request_.problem.head_dim) / *rate;
  trace.output_cycles = trace.scores_cycles;
  measurement.stage_trace = std::make_shared<const core::StageTrace>(std::move(trace));
}

}  // namespace fa3prof::profile
