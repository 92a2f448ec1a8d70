// The FlashAttention-3 paper's table of numerical errors (arXiv 2407.08608, table 3), computed
// anew. The paper states the distribution, and that errors are RMSE against FP64. What it does not
// state was found by trying; docs/numerics.md says how:
// - the FP64 reference is of inputs before they are rounded to FP16 or FP8,
// - the standard attention rounds Q K^T, S and P to FP16,
// - 8192 keys and head_dim 128.
#pragma once

#include "src/numerics/kernel_numerics.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fa3prof::numerics {

struct PublishedRow {
  std::string name;
  double published_rmse = 0.0;
  KernelNumerics numerics;
  double rmse = 0.0;  ///< of O, here
};

struct PublishedTable {
  core::AttentionProblem problem;
  std::vector<PublishedRow> rows;
};

/// Errors come from few rows, those whose outliers meet: heads differ by a factor of two. Few heads
/// give a first idea.
[[nodiscard]] PublishedTable published_table(std::int64_t heads, std::int64_t rows_per_head,
                                             std::uint64_t seed);

}  // namespace fa3prof::numerics
