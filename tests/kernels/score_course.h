// Inputs whose scores take a chosen course over the key blocks of a kernel, exact in float32.
#pragma once

#include "tests/kernels/gpu_attention.h"

#include <cstdint>
#include <vector>

namespace fa3prof::tests {

/// The course of the scores, in exponents of two (score * softmax_scale * log2(e)):
///   base * base_weight + rise * rise_weight * visited + noise of standard deviation 1,
/// where `visited` counts the key blocks that a row's tile may have visited before this one, from
/// the last key to the first, and the weights go by row and head: row i of head h has number
/// (i + 3 h) % size. Example: rise = 9 and rise_weights = {1, 0}: in every second row each block
/// exceeds the maximum of the one visited before it by about 9.
struct ScoreCourse {
  double base = 0.0;
  double rise = 0.0;
  std::vector<double> base_weights{1.0};  ///< multiples of 1/16
  std::vector<double> rise_weights{1.0};  ///< multiples of 1/16
};

/// Q and K with that course over blocks of `tile_n` keys, up to rounding to whole raw scores and
/// to the 16-bit type; V is N(0,1). Every raw score is a multiple of 1/16 below 2^20, as are the
/// sums on the way to it: float32 holds them exactly in whatever order they are added, so that
/// only the softmax is judged.
[[nodiscard]] Inputs course_inputs(const core::AttentionProblem& problem, const ScoreCourse& course,
                                   std::int64_t tile_n);

}  // namespace fa3prof::tests
