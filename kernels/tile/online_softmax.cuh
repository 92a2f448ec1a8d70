// Online softmax on a WGMMA accumulator: running row maximum and sum, probabilities in place.
// A thread owns two rows (g and g + 8 of its warp's 16); four neighbouring lanes share each row.
#pragma once

#include "kernels/ptx/convert.cuh"
#include "kernels/ptx/math.cuh"
#include "kernels/ptx/unroll.h"

#include <cmath>
#include <cstdint>

namespace fa3prof::kernels::tile {

inline constexpr int kRowsPerThread = 2;

/// Row (0 or 1) of accumulator register i.
__device__ constexpr int row_of(int i) { return (i >> 1) & 1; }

/// Combines a value over the four lanes that share a row.
template <typename Combine>
__device__ __forceinline__ float reduce_quad(float value, Combine combine) {
  value = combine(value, __shfl_xor_sync(0xffffffffU, value, 1));
  return combine(value, __shfl_xor_sync(0xffffffffU, value, 2));
}

/// State of the two rows over the key blocks seen so far. Scores are raw (unscaled) dot products;
/// `scale_log2` = softmax_scale * log2(e) turns them into exponents of two.
struct OnlineSoftmax {
  float row_max[kRowsPerThread] = {-INFINITY, -INFINITY};
  float row_sum[kRowsPerThread] = {0.0F, 0.0F};  ///< of this thread's columns only

  /// Replaces scores by probabilities relative to the new maximum, updates the state, and returns
  /// in `rescale` the factor that brings earlier sums and outputs to that maximum. kMayBeEmpty: a
  /// row may have no visible key yet (all scores -inf so far).
  template <bool kMayBeEmpty, int kCount>
  __device__ __forceinline__ void update(float (&scores)[kCount], float scale_log2,
                                         float (&rescale)[kRowsPerThread]) {
    float offset[kRowsPerThread];
    float largest_score[kRowsPerThread];
    find_maxima(scores, largest_score);
    FA3PROF_UNROLL
    for (int r = 0; r < kRowsPerThread; ++r) {
      const float largest = largest_score[r];
      // -inf - -inf would be NaN: an empty row keeps probabilities 0 by subtracting 0 instead.
      const float subtracted = kMayBeEmpty && largest == -INFINITY ? 0.0F : largest;
      rescale[r] = ptx::ex2((row_max[r] - subtracted) * scale_log2);
      offset[r] = subtracted * scale_log2;
      row_max[r] = largest;
    }
    FA3PROF_UNROLL
    for (int i = 0; i < kCount; ++i) {
      scores[i] = ptx::ex2(fmaf(scores[i], scale_log2, -offset[row_of(i)]));
    }
    FA3PROF_UNROLL
    for (int r = 0; r < kRowsPerThread; ++r) {
      float sum = row_sum[r] * rescale[r];
      FA3PROF_UNROLL
      for (int i = 2 * r; i < kCount; i += 4) sum += scores[i] + scores[i + 1];
      row_sum[r] = sum;
    }
  }

  /// The larger of row_max and the scores, over the whole row.
  template <int kCount>
  __device__ __forceinline__ void find_maxima(const float (&scores)[kCount],
                                              float (&largest)[kRowsPerThread]) const {
    // From 0 upwards floats order as their bits do, and negative ones stay below: with a running
    // maximum >= +0 the three-way integer maximum is right and takes half the instructions.
    if (__all_sync(0xffffffffU,
                   __float_as_int(row_max[0]) >= 0 && __float_as_int(row_max[1]) >= 0) != 0) {
      FA3PROF_UNROLL
      for (int r = 0; r < kRowsPerThread; ++r) {
        int bits[2] = {__float_as_int(row_max[r]), __float_as_int(row_max[r])};
        FA3PROF_UNROLL
        for (int i = 2 * r; i < kCount; i += 4) {
          int& chain = bits[i / 4 % 2];  // two chains: the latency of one hides behind the other
          chain = __vimax3_s32(chain, __float_as_int(scores[i]), __float_as_int(scores[i + 1]));
        }
        largest[r] = reduce_quad(__int_as_float(max(bits[0], bits[1])),
                                 [](float a, float b) { return fmaxf(a, b); });
      }
      return;
    }
    FA3PROF_UNROLL
    for (int r = 0; r < kRowsPerThread; ++r) {
      largest[r] = row_max[r];
      FA3PROF_UNROLL
      for (int i = 2 * r; i < kCount; i += 4) {
        largest[r] = fmaxf(largest[r], fmaxf(scores[i], scores[i + 1]));
      }
      largest[r] = reduce_quad(largest[r], [](float a, float b) { return fmaxf(a, b); });
    }
  }

  /// Completes row_sum over the row's four lanes; call once, after the last block.
  __device__ __forceinline__ void finish_sums() {
    FA3PROF_UNROLL
    for (int r = 0; r < kRowsPerThread; ++r) {
      row_sum[r] = reduce_quad(row_sum[r], [](float a, float b) { return a + b; });
    }
  }

  /// Factor that turns the accumulated output of row r into the attention output; 0 for an empty
  /// row.
  [[nodiscard]] __device__ __forceinline__ float normalizer(int r) const {
    return row_sum[r] == 0.0F ? 0.0F : 1.0F / row_sum[r];
  }

  /// Natural logarithm of the sum of exponentials of row r; -inf for an empty row.
  [[nodiscard]] __device__ __forceinline__ float log_sum_exp(int r, float scale_log2) const {
    constexpr float kLn2 = 0.693147180559945309F;
    return row_sum[r] == 0.0F ? -INFINITY : (row_max[r] * scale_log2 + __log2f(row_sum[r])) * kLn2;
  }
};

/// Multiplies each row of an accumulator by its factor; leaves it alone where no row of the warp
/// changed, which is exact.
template <int kCount>
__device__ __forceinline__ void rescale_rows(float (&output)[kCount],
                                             const float (&factor)[kRowsPerThread]) {
  if (__any_sync(0xffffffffU, factor[0] != 1.0F || factor[1] != 1.0F) == 0) return;
  FA3PROF_UNROLL
  for (int i = 0; i < kCount; ++i) output[i] *= factor[row_of(i)];
}

/// Probabilities as the A operand of the second GEMM: the accumulator's order is already the order
/// of A fragments, so packing pairs is all it takes.
template <ptx::Element kElement, int kCount>
__device__ __forceinline__ void pack(const float (&values)[kCount],
                                     std::uint32_t (&packed)[kCount / 2]) {
  FA3PROF_UNROLL
  for (int i = 0; i < kCount / 2; ++i) {
    packed[i] = ptx::pack_pair<kElement>(values[2 * i], values[2 * i + 1]);
  }
}

/// Sets scores of invisible keys to -inf. `first_column` is the key index of column 0 of the block;
/// row r of this thread sees keys below visible_keys[r].
template <int kCount>
__device__ __forceinline__ void mask_scores(float (&scores)[kCount], int first_column,
                                            const int (&visible_keys)[kRowsPerThread]) {
  const int lane_column = first_column + 2 * static_cast<int>(threadIdx.x % 4);
  const int limit[kRowsPerThread] = {visible_keys[0] - lane_column, visible_keys[1] - lane_column};
  FA3PROF_UNROLL
  for (int i = 0; i < kCount; ++i) {
    const int column = 8 * (i / 4) + (i & 1);
    if (column >= limit[row_of(i)]) scores[i] = -INFINITY;
  }
}

}  // namespace fa3prof::kernels::tile
