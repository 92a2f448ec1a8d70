// `fa3prof numerics`: what FP8 costs in accuracy, and what the remedies bring; on the CPU.
#pragma once

#include "src/cli/output_options.h"
#include "src/commands/context.h"
#include "src/commands/numerics_kernels.h"
#include "src/core/problem_grid.h"
#include "src/numerics/input_distributions.h"
#include "src/numerics/tensor_file.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fa3prof::commands {

enum class Experiment { kAttention, kGuide, kRotation, kPaper };

struct NumericsOptions {
  std::vector<Experiment> experiments;  ///< none: attention
  core::ProblemGrid grid;
  numerics::Distribution distribution = numerics::Distribution::kOutliers;
  std::string q;  ///< tensor files; all three or none, then the distribution's
  std::string k;
  std::string v;
  numerics::TensorLayout layout = numerics::TensorLayout::kSeqlenHeads;
  KernelLists kernels;
  std::uint64_t seed = 1;
  std::int64_t paper_heads = 64;
  cli::OutputOptions output;
};

void add_numerics(CLI::App& app, Verb& chosen);

/// The experiments in the order of the flag. Without sizes attention has 256 queries, 8192 keys and
/// 4 heads of head_dim 128.
[[nodiscard]] core::ExitCode run_numerics(const NumericsOptions& options, const Context& context);

}  // namespace fa3prof::commands
