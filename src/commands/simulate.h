// `fa3prof simulate`: the model alone, on any machine, and beside a report of a real run.
#pragma once

#include "sim/engine.h"
#include "src/analysis/validation.h"
#include "src/cli/output_options.h"
#include "src/commands/context.h"
#include "src/commands/simulate_what_if.h"
#include "src/core/problem_grid.h"

#include <optional>
#include <string>
#include <vector>

namespace fa3prof::commands {

struct SimulateOptions {
  std::string scenario;                ///< built-in name or file; empty: none
  std::string machine;                 ///< overrides the scenario's where stated, as all below do
  std::vector<std::string> pipelines;  ///< names or files
  core::ProblemGrid grid;
  std::optional<core::Shard> shard;  ///< simulate only this part of the problems
  std::optional<sim::Engine> engine;
  std::string against;  ///< report whose measured results stand beside the simulated ones
  std::vector<std::string> kernels;  ///< only these of `against`; without it, their pipelines
  analysis::ErrorLimits limits;      ///< of the errors against the report
  WhatIfOptions what_if;
  bool has_details = false;
  bool draws_timelines = false;  ///< in text, one for each result
  std::string trace_file;        ///< of the timelines; empty: none
  cli::OutputOptions output;
};

void add_simulate(CLI::App& app, Verb& chosen);

/// What neither flag nor scenario states is taken from the report in `against` (its GPU's machine,
/// its problems, the pipelines of the kernels measured on each), else h200_sxm, the pipelines of
/// all kernels, and the grid's defaults. A single problem is shown with its breakdown and the terms
/// of the formula; `has_details` does so for several.
///
/// With changes, the results without and with them stand side by side.
///
/// Against a report, a pipeline that cannot run a problem is no error but a row with the reason.
/// Returns kCheckFailed where a limit is exceeded or not one row could be compared.
[[nodiscard]] core::ExitCode run_simulate(const SimulateOptions& options, const Context& context);

}  // namespace fa3prof::commands
