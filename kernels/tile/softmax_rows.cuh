// The rows of a WGMMA accumulator under an online softmax, whatever their probabilities are
// relative to. A thread owns two rows (g and g + 8 of its warp's 16); four neighbouring lanes share
// each row.
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
template <typename Value, typename Combine>
__device__ __forceinline__ Value reduce_quad(Value value, Combine combine) {
  value = combine(value, __shfl_xor_sync(0xffffffffU, value, 1));
  return combine(value, __shfl_xor_sync(0xffffffffU, value, 2));
}

/// Raises two chains of maxima, so that the latency of one hides behind the other, to the bits of a
/// thread's scores of row r. From 0 upwards floats order as their bits do, and negative ones stay
/// below: beside bits of +0 or more the three-way integer maximum is right and takes half the
/// instructions.
template <int kCount>
__device__ __forceinline__ void raise_bits(const float (&scores)[kCount], int r, int (&bits)[2]) {
  FA3PROF_UNROLL
  for (int i = 2 * r; i < kCount; i += 4) {
    int& chain = bits[i / 4 % 2];
    chain = __vimax3_s32(chain, __float_as_int(scores[i]), __float_as_int(scores[i + 1]));
  }
}

/// The highest score of row r over the four lanes that share it.
template <int kCount>
__device__ __forceinline__ float highest_of_row(const float (&scores)[kCount], int r) {
  float largest = -INFINITY;
  FA3PROF_UNROLL
  for (int i = 2 * r; i < kCount; i += 4) {
    largest = fmaxf(largest, fmaxf(scores[i], scores[i + 1]));
  }
  return reduce_quad(largest, [](float a, float b) { return fmaxf(a, b); });
}

/// What two rows add up to over the key blocks seen so far. Scores are raw (unscaled) dot products;
/// `scale_log2` = softmax_scale * log2(e) > 0 turns them into exponents of two.
struct SoftmaxRows {
  float row_sum[kRowsPerThread] = {0.0F, 0.0F};  ///< of this thread's columns only
  /// Exponent of two that probabilities are relative to.
  float offset[kRowsPerThread] = {0.0F, 0.0F};

  /// Probabilities of the first kAhead scores of a block.
  template <int kAhead, int kCount>
  __device__ __forceinline__ void exponentiate_ahead(const float (&scores)[kCount],
                                                     float scale_log2,
                                                     float (&ahead)[kAhead]) const {
    FA3PROF_UNROLL
    for (int i = 0; i < kAhead; ++i) ahead[i] = probability(scores[i], i, scale_log2);
  }

  /// Adds a block's probabilities to row_sum.
  template <int kCount>
  __device__ __forceinline__ void add(const float (&probabilities)[kCount]) {
    FA3PROF_UNROLL
    for (int r = 0; r < kRowsPerThread; ++r) {
      float sum = row_sum[r];
      FA3PROF_UNROLL
      for (int i = 2 * r; i < kCount; i += 4) sum += probabilities[i] + probabilities[i + 1];
      row_sum[r] = sum;
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
  [[nodiscard]] __device__ __forceinline__ float log_sum_exp(int r) const {
    constexpr float kLn2 = 0.693147180559945309F;
    return row_sum[r] == 0.0F ? -INFINITY : (offset[r] + __log2f(row_sum[r])) * kLn2;
  }

  /// Of score i of this thread, relative to offset.
  [[nodiscard]] __device__ __forceinline__ float probability(float score, int i,
                                                             float scale_log2) const {
    return ptx::ex2(fmaf(score, scale_log2, -offset[row_of(i)]));
  }
};

/// Multiplies each row of an accumulator by its factor.
template <int kCount>
__device__ __forceinline__ void rescale_rows(float (&output)[kCount],
                                             const float (&factor)[kRowsPerThread]) {
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
