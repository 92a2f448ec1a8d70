// Online softmax on a WGMMA accumulator: running row maximum and sum, probabilities in place.
// A thread owns two rows (g and g + 8 of its warp's 16); four neighbouring lanes share each row.
#pragma once

#include "kernels/ptx/convert.cuh"
#include "kernels/ptx/math.cuh"
#include "kernels/ptx/pin_registers.cuh"
#include "kernels/ptx/unroll.h"

#include <cmath>
#include <cstdint>
#include <limits>

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
/// `scale_log2` = softmax_scale * log2(e) > 0 turns them into exponents of two. Probabilities are
/// relative to a reference, a maximum that is raised only when a score exceeds it by more than
/// kSlack: any reference gives the same softmax once rows are divided by their sums, and within the
/// slack nothing overflows. Only the largest probability is rounded like the others then, where
/// relative to the maximum it is exactly 1. So the usual block needs no rescale, no exchange
/// between lanes, and no maximum before its exponentials: a comparison with a limit runs beside
/// them.
struct OnlineSoftmax {
  static constexpr int kNoKeyYet = std::numeric_limits<int>::min();
  static constexpr int kAlwaysCheck = kNoKeyYet + 1;
  static constexpr float kSlack = 8.0F;       ///< exponents of two above the reference
  static constexpr float kMostSlack = 15.0F;  ///< 2^15 still is a number in fp16

  float row_sum[kRowsPerThread] = {0.0F, 0.0F};  ///< of this thread's columns only
  float offset[kRowsPerThread] = {0.0F, 0.0F};   ///< reference * scale_log2
  /// Bits of the highest score that leaves the reference as it is: +0 or more, or one of the above.
  int limit[kRowsPerThread] = {kNoKeyYet, kNoKeyYet};

  /// Takes in the first block of a tile, as advance does later ones; state as constructed.
  template <int kAhead, int kCount>
  __device__ __forceinline__ void start(const float (&scores)[kCount], float scale_log2,
                                        float (&ahead)[kAhead]) {
    float unused[kRowsPerThread];
    raise_reference(scores, scale_log2, unused);
    FA3PROF_UNROLL
    for (int i = 0; i < kAhead; ++i) ahead[i] = probability(scores[i], i, scale_log2);
  }

  /// Checks a block of scores against the limit, and raises the reference where it is exceeded:
  /// then returns true, with the factor for earlier outputs in `rescale`. The probabilities of the
  /// first kAhead scores, computed meanwhile, are left in `ahead`.
  template <int kAhead, int kCount>
  __device__ __forceinline__ bool advance(const float (&scores)[kCount], float scale_log2,
                                          float (&ahead)[kAhead],
                                          float (&rescale)[kRowsPerThread]) {
    FA3PROF_UNROLL
    for (int i = 0; i < kAhead; ++i) ahead[i] = probability(scores[i], i, scale_log2);
    // From 0 upwards floats order as their bits do, and negative ones stay below: against a limit
    // >= +0 the three-way integer maximum is right and takes half the instructions.
    bool exceeds = false;
    FA3PROF_UNROLL
    for (int r = 0; r < kRowsPerThread; ++r) {
      int bits[2] = {limit[r], limit[r]};
      FA3PROF_UNROLL
      for (int i = 2 * r; i < kCount; i += 4) {
        int& chain = bits[i / 4 % 2];  // two chains: the latency of one hides behind the other
        chain = __vimax3_s32(chain, __float_as_int(scores[i]), __float_as_int(scores[i + 1]));
      }
      // The special limits lie among the bits of negative scores, so they are asked for by name.
      exceeds = exceeds || limit[r] < 0 || max(bits[0], bits[1]) > limit[r];
    }
    ptx::pin_registers(ahead);
    if (__any_sync(0xffffffffU, exceeds) == 0) return false;
    raise_reference(scores, scale_log2, rescale);
    FA3PROF_UNROLL
    for (int i = 0; i < kAhead; ++i) ahead[i] = probability(scores[i], i, scale_log2);
    return true;
  }

  /// Replaces scores by probabilities, those of `ahead` and the rest, and adds them to row_sum.
  template <int kAhead, int kCount>
  __device__ __forceinline__ void exponentiate(float (&scores)[kCount], float scale_log2,
                                               const float (&ahead)[kAhead]) {
    FA3PROF_UNROLL
    for (int i = 0; i < kCount; ++i) {
      scores[i] = i < kAhead ? ahead[i] : probability(scores[i], i, scale_log2);
    }
    FA3PROF_UNROLL
    for (int r = 0; r < kRowsPerThread; ++r) {
      float sum = row_sum[r];
      FA3PROF_UNROLL
      for (int i = 2 * r; i < kCount; i += 4) sum += scores[i] + scores[i + 1];
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

 private:
  [[nodiscard]] __device__ __forceinline__ float probability(float score, int i,
                                                             float scale_log2) const {
    return ptx::ex2(fmaf(score, scale_log2, -offset[row_of(i)]));
  }

  template <int kCount>
  __device__ __forceinline__ void raise_reference(const float (&scores)[kCount], float scale_log2,
                                                  float (&rescale)[kRowsPerThread]) {
    FA3PROF_UNROLL
    for (int r = 0; r < kRowsPerThread; ++r) {
      float largest = -INFINITY;
      FA3PROF_UNROLL
      for (int i = 2 * r; i < kCount; i += 4) {
        largest = fmaxf(largest, fmaxf(scores[i], scores[i + 1]));
      }
      largest = reduce_quad(largest, [](float a, float b) { return fmaxf(a, b); });
      const float exponent = largest * scale_log2;
      const bool is_first = limit[r] == kNoKeyYet;
      const bool rises = largest != -INFINITY && (is_first || exponent > offset[r] + kSlack);
      const float raised = rises ? exponent : offset[r];
      rescale[r] = is_first ? 0.0F : ptx::ex2(offset[r] - raised);
      offset[r] = raised;
      row_sum[r] *= rescale[r];
      const float highest = largest + __fdividef(kSlack, scale_log2);
      const int raised_limit =
          exponent < -kMostSlack ? kAlwaysCheck : __float_as_int(highest > 0.0F ? highest : 0.0F);
      limit[r] = rises ? raised_limit : limit[r];
    }
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
