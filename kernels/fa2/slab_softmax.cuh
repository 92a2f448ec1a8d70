// Online softmax of one 16-row slab in two halves, so that the exponentials can stand between mma.
// tile::OnlineSoftmax does both at once, for kernels whose matmuls run by themselves.
#pragma once

#include "kernels/ptx/convert.cuh"
#include "kernels/ptx/math.cuh"
#include "kernels/ptx/unroll.h"
#include "kernels/tile/softmax_rows.cuh"

#include <cfloat>
#include <cmath>
#include <cstdint>

namespace fa3prof::kernels::fa2 {

/// State of a thread's two rows over the key blocks seen so far. Scores are raw dot products;
/// `scale_log2` = softmax_scale * log2(e) > 0 turns them into exponents of two.
struct SlabSoftmax {
  /// scale_log2 times the largest score. Not -inf before the first visible key: the difference of
  /// two maxima must never be NaN, and a masked score (-inf) gives 2^-inf = 0 all the same.
  float maximum[tile::kRowsPerThread] = {-FLT_MAX, -FLT_MAX};
  float sum[tile::kRowsPerThread] = {0.0F, 0.0F};  ///< of this thread's columns only

  /// First half: takes the scores of a block into the maxima and the old sums to the new maxima;
  /// returns in `rescale` the factor that takes the outputs there.
  template <int kCount>
  __device__ __forceinline__ void raise_maximum(const float (&scores)[kCount], float scale_log2,
                                                float (&rescale)[tile::kRowsPerThread]) {
    FA3PROF_UNROLL
    for (int r = 0; r < tile::kRowsPerThread; ++r) {
      float largest = fmaxf(scores[2 * r], scores[2 * r + 1]);
      FA3PROF_UNROLL
      for (int i = 2 * r + 4; i < kCount; i += 4) {
        largest = fmaxf(largest, fmaxf(scores[i], scores[i + 1]));
      }
      largest = tile::reduce_quad(largest, [](float a, float b) { return fmaxf(a, b); });
      const float raised = fmaxf(maximum[r], largest * scale_log2);
      rescale[r] = ptx::ex2(maximum[r] - raised);
      maximum[r] = raised;
      sum[r] *= rescale[r];
    }
  }

  /// Second half, for 16 keys: adds their probabilities to the sums and returns them as an A
  /// fragment. The accumulator's order is already the order of A, so packing pairs is all it takes.
  template <ptx::Element kElement>
  __device__ __forceinline__ void exponentiate(const float* scores, float scale_log2,
                                               std::uint32_t (&probabilities)[4]) {
    FA3PROF_UNROLL
    for (int i = 0; i < 4; ++i) {
      const int r = tile::row_of(2 * i);
      const float low = ptx::ex2(fmaf(scores[2 * i], scale_log2, -maximum[r]));
      const float high = ptx::ex2(fmaf(scores[2 * i + 1], scale_log2, -maximum[r]));
      sum[r] += low + high;
      probabilities[i] = ptx::pack_pair<kElement>(low, high);
    }
  }

  /// Completes the sums over the four lanes of a row; call once, after the last block.
  __device__ __forceinline__ void finish_sums() {
    FA3PROF_UNROLL
    for (int r = 0; r < tile::kRowsPerThread; ++r) {
      sum[r] = tile::reduce_quad(sum[r], [](float a, float b) { return a + b; });
    }
  }

  /// Factor that makes the accumulated output of row r the attention output; 0 for an empty row.
  [[nodiscard]] __device__ __forceinline__ float normalizer(int r) const {
    return sum[r] == 0.0F ? 0.0F : 1.0F / sum[r];
  }

  /// Natural logarithm of the sum of exponentials of row r; -inf for an empty row.
  [[nodiscard]] __device__ __forceinline__ float log_sum_exp(int r) const {
    constexpr float kLn2 = 0.693147180559945309F;
    return sum[r] == 0.0F ? -INFINITY : fmaf(maximum[r], kLn2, logf(sum[r]));
  }
};

}  // namespace fa3prof::kernels::fa2
