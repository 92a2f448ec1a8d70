// `fa3prof run`: verifies, times and counts kernels on this GPU, and sets the model beside them.
#pragma once

#include "sim/engine.h"
#include "src/cli/output_options.h"
#include "src/commands/context.h"
#include "src/commands/kernel_choice.h"
#include "src/commands/trace_output.h"
#include "src/core/problem_grid.h"

#include <optional>
#include <string>

namespace fa3prof::commands {

struct RunOptions {
  core::ProblemGrid grid;
  KernelOptions kernels;  ///< where none of ours is named: all that this GPU can run
  bool is_ablation = false;
  bool compares_generations = false;
  std::optional<core::Shard> shard;  ///< run only this part of the problems
  bool uses_all_devices = false;     ///< request.device does not count then
  /// Kernels, plugins and problem are filled in anew for each problem of the grid.
  profile::RunRequest request;
  std::string machine;                ///< of the model; empty: the machine file of the measured GPU
  std::optional<sim::Engine> engine;  ///< of the model; none: the pipeline's default
  TraceOptions trace;
  cli::OutputOptions output;
};

void add_run(CLI::App& app, Verb& chosen);

/// kCheckFailed when a kernel failed verification, kUnavailable when none took its problem on this
/// GPU, else kDone. Throws UsageError when a kernel does
/// not support the only problem, or no kernel supports any; in a larger grid, or beside plugins,
/// such a pair becomes a row with the reason.
[[nodiscard]] core::ExitCode run_run(const RunOptions& options, const Context& context);

}  // namespace fa3prof::commands
