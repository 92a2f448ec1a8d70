#include "src/commands/simulated_timelines.h"

#include "sim/timeline.h"
#include "src/commands/model.h"
#include "src/commands/trace_output.h"
#include "src/core/error.h"

#include <algorithm>
#include <utility>

namespace fa3prof::commands {
namespace {

const sim::Scenario& scenario_of(const std::vector<sim::Scenario>& scenarios,
                                 const core::Result& result) {
  const auto own = std::ranges::find_if(scenarios, [&result](const sim::Scenario& scenario) {
    const auto& pipelines = scenario.pipelines;
    return scenario.machine->name == result.machine &&
           std::ranges::find(pipelines, result.pipeline, &sim::Pipeline::name) != pipelines.end();
  });
  return own != scenarios.end() ? *own : scenarios.front();
}

/// Of the scenario, which may hold a pipeline of no file, else by name.
sim::Pipeline pipeline_of(const sim::Scenario& scenario, const core::Result& result) {
  const auto own = std::ranges::find(scenario.pipelines, result.pipeline, &sim::Pipeline::name);
  return own != scenario.pipelines.end() ? *own : sim::load_pipeline(result.pipeline);
}

}  // namespace

core::Timeline simulated_timelines(const std::vector<sim::Scenario>& scenarios,
                                   std::vector<core::Result>& results) {
  core::Timeline timeline;
  for (core::Result& result : results) {
    const bool has_run =
        result.source == core::ResultSource::kDiscreteEvent && result.unsupported_reason.empty();
    if (!has_run) continue;
    const sim::Scenario& scenario = scenario_of(scenarios, result);
    const sim::Pipeline pipeline = pipeline_of(scenario, result);
    const core::AttentionProblem problem = multiplied_problem(pipeline, result.problem);
    timeline.processes.push_back(sim::simulate_timeline(
        {.machine = *scenario.machine, .pipeline = pipeline, .problem = problem}));
    result.timeline = core::excerpt(timeline.processes.back(), kReportedSpans);
    timeline.processes.back().name += ", " + core::describe(result.problem);
  }
  if (timeline.processes.empty()) {
    throw core::UsageError("nothing has a timeline: it takes --engine discrete_event");
  }
  return timeline;
}

}  // namespace fa3prof::commands
