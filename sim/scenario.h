// A scenario: one machine, pipelines and problems to simulate. Files: configs/scenarios and
// configs/guide.json. The command line's flags override what it states.
#pragma once

#include "sim/engine.h"
#include "sim/machine.h"
#include "sim/pipeline.h"
#include "src/core/problem_grid.h"
#include "src/core/progress.h"
#include "src/core/result.h"
#include "src/core/shard.h"

#include <optional>
#include <string>
#include <vector>

namespace fa3prof::sim {

/// TFLOPS stated for one pipeline and carried to the others by the ratio of cycles, for sources
/// that state no clock: min(cap, baseline * cycles of the baseline / cycles).
struct TflopsRule {
  std::string baseline_pipeline;
  double baseline_tflops = 0.0;
  std::optional<double> cap_tflops;
  bool is_rounded_down = false;
};

struct Scenario {
  std::string name;
  std::string description;
  std::optional<Machine> machine;
  std::vector<Pipeline> pipelines;
  core::ProblemGrid problems;
  std::optional<core::Shard> shard = std::nullopt;  ///< only these of the problems
  std::optional<Engine> engine;
  std::optional<TflopsRule> tflops_rule;
};

/// Machine and pipelines are names, paths relative to the file of `reader`, or objects.
/// Throws ConfigError; UsageError for an unknown name.
[[nodiscard]] Scenario read_scenario(core::JsonReader reader);

/// `name_or_path`: a built-in scenario ("guide", "h200_8k") or, with '/' or ".json" in it, a file.
[[nodiscard]] Scenario load_scenario(const std::string& name_or_path);

[[nodiscard]] std::vector<std::string> builtin_scenarios();

/// Every pipeline on every problem: problem by problem, pipelines in order. The scenario must state
/// a machine and at least one pipeline (UsageError). A shard may be without a problem. The engine
/// defaults to default_engine(). `progress` is told of each problem before it is simulated.
[[nodiscard]] std::vector<core::Result> run_scenario(
    const Scenario& scenario, const core::PieceProgress& progress = [](auto, auto, auto&) {});

}  // namespace fa3prof::sim
