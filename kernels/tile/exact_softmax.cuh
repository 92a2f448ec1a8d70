// Online softmax whose probabilities are relative to the row's running maximum.
#pragma once

#include "kernels/ptx/pin_registers.cuh"
#include "kernels/tile/softmax_rows.cuh"

#include <cmath>
#include <cstdint>
#include <limits>

namespace fa3prof::kernels::tile {

/// The largest probability is exactly 1, so nothing is lost beyond what casting P costs. To keep
/// the maximum out of the way of the exponentials, the first of a block are relative to the maximum
/// of the blocks before and are multiplied when lanes have agreed on the new one.
struct ExactSoftmax : SoftmaxRows {
  static constexpr int kNoKeyYet = std::numeric_limits<int>::min();
  static constexpr int kNegative = kNoKeyYet + 1;
  /// Exponents of two above the maximum before that need no second look: 2^100 is a number.
  static constexpr float kMostRise = 100.0F;
  /// Exponentials, beyond those of `ahead`, that run while lanes exchange their maxima.
  static constexpr int kDuringExchange = 16;

  /// Bits of the maximum, of all blocks before and with this thread's scores of the current one:
  /// +0 or more, or one of the above.
  int maximum[kRowsPerThread] = {kNoKeyYet, kNoKeyYet};
  int own_maximum[kRowsPerThread] = {kNoKeyYet, kNoKeyYet};

  /// Takes in the first block of a tile, as advance does later ones; state as constructed.
  template <int kAhead, int kCount>
  __device__ __forceinline__ void start(const float (&scores)[kCount], float scale_log2,
                                        float (&ahead)[kAhead]) {
    float unused[kRowsPerThread];
    raise(scores, scale_log2, unused);
    exponentiate_ahead(scores, scale_log2, ahead);
  }

  /// Looks for this thread's maximum of a block. The probabilities of the first kAhead scores,
  /// computed meanwhile, are left in `ahead`: relative to offset, which the rare block moves here,
  /// that has negative scores only or rises by more than kMostRise, by the factor in `rescale`, and
  /// then returns true; the usual one moves it later.
  template <int kAhead, int kCount>
  __device__ __forceinline__ bool advance(const float (&scores)[kCount], float scale_log2,
                                          float (&ahead)[kAhead],
                                          float (&rescale)[kRowsPerThread]) {
    exponentiate_ahead(scores, scale_log2, ahead);
    bool is_rare = false;
    FA3PROF_UNROLL
    for (int r = 0; r < kRowsPerThread; ++r) {
      int bits[2] = {maximum[r], maximum[r]};
      raise_bits(scores, r, bits);
      own_maximum[r] = max(bits[0], bits[1]);
      const float rise = fmaf(__int_as_float(own_maximum[r]), scale_log2, -offset[r]);
      is_rare = is_rare || maximum[r] < 0 || rise > kMostRise;
      rescale[r] = 1.0F;
    }
    ptx::pin_registers(ahead);
    if (__any_sync(0xffffffffU, is_rare) == 0) return false;
    raise(scores, scale_log2, rescale);
    exponentiate_ahead(scores, scale_log2, ahead);
    return true;
  }

  /// Replaces scores by probabilities, those of `ahead` and the rest, relative to the maximum of
  /// the whole row up to here, and adds them to row_sum. True where earlier outputs must be
  /// multiplied by `rescale`, which takes in what this block adds to it.
  template <int kAhead, int kCount>
  __device__ __forceinline__ bool exponentiate(float (&scores)[kCount], float scale_log2,
                                               const float (&ahead)[kAhead],
                                               float (&rescale)[kRowsPerThread]) {
    constexpr int kBefore = kAhead + kDuringExchange;
    static_assert(kBefore <= kCount);
    float factor[kRowsPerThread];
    float after[kRowsPerThread];
    FA3PROF_UNROLL
    for (int r = 0; r < kRowsPerThread; ++r) {
      const int top = reduce_quad(own_maximum[r], [](int x, int y) { return max(x, y); });
      after[r] = top > maximum[r] ? __int_as_float(top) * scale_log2 : offset[r];
      factor[r] = ptx::ex2(offset[r] - after[r]);
      maximum[r] = top;
    }
    FA3PROF_UNROLL
    for (int i = 0; i < kBefore; ++i) {
      scores[i] = i < kAhead ? ahead[i] : probability(scores[i], i, scale_log2);
    }
    FA3PROF_UNROLL
    for (int r = 0; r < kRowsPerThread; ++r) {
      offset[r] = after[r];
      row_sum[r] *= factor[r];
      rescale[r] *= factor[r];
    }
    FA3PROF_UNROLL
    for (int i = 0; i < kCount; ++i) {
      scores[i] =
          i < kBefore ? scores[i] * factor[row_of(i)] : probability(scores[i], i, scale_log2);
    }
    add(scores);
    return __any_sync(0xffffffffU, rescale[0] != 1.0F || rescale[1] != 1.0F) != 0;
  }

 private:
  /// Moves offset to the maximum of the row with this block.
  template <int kCount>
  __device__ __forceinline__ void raise(const float (&scores)[kCount], float scale_log2,
                                        float (&factor)[kRowsPerThread]) {
    FA3PROF_UNROLL
    for (int r = 0; r < kRowsPerThread; ++r) {
      const float largest = highest_of_row(scores, r);
      const float exponent = largest * scale_log2;
      const bool is_first = maximum[r] == kNoKeyYet;
      const bool rises = largest != -INFINITY && (is_first || exponent > offset[r]);
      const float raised = rises ? exponent : offset[r];
      factor[r] = is_first ? 0.0F : ptx::ex2(offset[r] - raised);
      offset[r] = raised;
      row_sum[r] *= factor[r];
      const int raised_maximum = largest >= 0.0F ? max(__float_as_int(largest), 0) : kNegative;
      maximum[r] = rises ? raised_maximum : maximum[r];
      own_maximum[r] = maximum[r];
    }
  }
};

}  // namespace fa3prof::kernels::tile
