// `fa3prof tune`: the fastest variants of the pipelines by the model, and how well it ranks.
#pragma once

#include "src/cli/output_options.h"
#include "src/commands/context.h"
#include "src/core/problem_grid.h"

#include <cstddef>
#include <string>
#include <vector>

namespace fa3prof::commands {

struct TuneOptions {
  std::string machine;                 ///< name or file; empty: of the GPU, else h200_sxm
  std::vector<std::string> pipelines;  ///< whose variants are searched; empty: of all our kernels
  core::ProblemGrid grid;
  std::size_t shown = 10;  ///< of the best
  std::size_t simulated_points = 240;
  std::vector<std::string> against;  ///< reports of runs, whose kernels are ranked
  bool measures = true;              ///< the compiled kernels, where there is a GPU
  int device = 0;
  cli::OutputOptions output;
};

void add_tune(CLI::App& app, Verb& chosen);

/// Searches each problem of the grid. Against reports only the ranking of what they measured,
/// unless a problem is stated, too.
[[nodiscard]] core::ExitCode run_tune(const TuneOptions& options, const Context& context);

}  // namespace fa3prof::commands
