#include "src/commands/against.h"

#include "sim/engine.h"
#include "src/commands/model.h"
#include "src/core/error.h"

#include <map>
#include <string>

namespace fa3prof::commands {
namespace {

using core::AttentionProblem;
using core::Result;

/// Pipelines by name, each loaded once.
using Pipelines = std::map<std::string, sim::Pipeline>;

const sim::Pipeline& load_once(Pipelines& loaded, const std::string& name) {
  const auto known = loaded.find(name);
  if (known != loaded.end()) return known->second;
  return loaded.emplace(name, sim::load_pipeline(name)).first->second;
}

Result simulate_or_explain(const sim::Scenario& scenario, const sim::Pipeline& pipeline,
                           const AttentionProblem& problem) {
  const sim::Engine engine = scenario.engine.value_or(sim::default_engine(pipeline));
  try {
    return simulate_problem(engine, *scenario.machine, pipeline, problem);
  } catch (const core::UsageError& error) {
    Result result;
    result.source = core::parse_result_source(sim::name_of(engine));
    result.kernel = pipeline.kernel;
    result.pipeline = pipeline.name;
    result.machine = scenario.machine->name;
    result.problem = problem;
    result.unsupported_reason = error.what();
    return result;
  }
}

}  // namespace

std::vector<Result> simulate_against(const sim::Scenario& scenario, const MeasuredReport& measured,
                                     const core::PieceProgress& progress) {
  const bool is_stated = scenario.problems != core::ProblemGrid{};
  std::vector<Result> results;
  Pipelines loaded;
  const std::vector<AttentionProblem> problems =
      is_stated ? core::expand(scenario.problems) : measured.problems();
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const AttentionProblem& problem = problems[i];
    progress(i, problems.size(), core::describe(problem));
    for (const sim::Pipeline& pipeline : scenario.pipelines) {
      results.push_back(simulate_or_explain(scenario, pipeline, problem));
    }
    if (!scenario.pipelines.empty()) continue;
    for (const std::string& name : pipelines_of(measured.own_kernels(problem))) {
      results.push_back(simulate_or_explain(scenario, load_once(loaded, name), problem));
    }
  }
  return results;
}

}  // namespace fa3prof::commands
