// S, P and O of chosen rows in FP64 from FP32 inputs: what the laboratory measures against. The
// judge of GPU kernels, reference_attention.h, reads 16-bit tensors and keeps only O.
#pragma once

#include "src/numerics/kernel_numerics.h"

#include <cstdint>
#include <vector>

namespace fa3prof::numerics {

/// Keys that a query row sees: all, or with the causal mask, aligned to the bottom right, those up
/// to its own place.
[[nodiscard]] std::int64_t visible_keys(const core::AttentionProblem& problem, std::int64_t row);

/// Query rows [begin, begin + count) of one query head.
struct RowRange {
  std::int64_t batch = 0;
  std::int64_t head = 0;
  std::int64_t begin = 0;
  std::int64_t count = 0;
};

struct ExactRows {
  std::vector<double> s;  ///< [rows, seqlen_kv], scaled scores; -inf where the mask hides the key
  std::vector<double> p;  ///< [rows, seqlen_kv], their softmax
  std::vector<double> o;  ///< [rows, head_dim]; 0 for a row that sees no key
};

[[nodiscard]] ExactRows exact_rows(const AttentionInputs& inputs, const RowRange& range);

}  // namespace fa3prof::numerics
