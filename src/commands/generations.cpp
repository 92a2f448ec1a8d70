#include "src/commands/generations.h"

#include "src/analysis/generations.h"

#include <algorithm>

namespace fa3prof::commands {

void add_generations_option(CLI::App& verb, RunOptions& options) {
  verb.add_flag("--generations", options.compares_generations,
                "FlashAttention-1, 2, 3 and 3 in FP8 on each problem: how each transfers, "
                "multiplies and overlaps, and how fast it is, beside what the guide says");
}

void make_generations(RunOptions& options) {
  std::vector<std::string> kernels;
  for (const analysis::GuideGeneration& generation : analysis::guide_generations()) {
    kernels.emplace_back(generation.kernel);
  }
  for (const std::string& named : options.kernels.kernels) {
    if (std::ranges::find(kernels, named) == kernels.end()) kernels.push_back(named);
  }
  options.kernels.kernels = std::move(kernels);
  options.kernels.may_leave_out = true;
}

}  // namespace fa3prof::commands
