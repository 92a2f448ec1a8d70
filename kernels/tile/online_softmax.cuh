// Online softmax whose probabilities are relative to a reference near the row's maximum.
#pragma once

#include "kernels/ptx/pin_registers.cuh"
#include "kernels/tile/softmax_rows.cuh"

#include <cstdint>
#include <limits>

namespace fa3prof::kernels::tile {

/// Probabilities are relative to a reference, a maximum that is raised only when a score exceeds it
/// by more than kSlack: any reference gives the same softmax once rows are divided by their sums,
/// and within the slack nothing overflows. Only the largest probability is rounded like the others
/// then, where relative to the maximum it is exactly 1 (exact_softmax.cuh). So the usual block
/// needs no rescale, no exchange between lanes, and no maximum before its exponentials: a
/// comparison with a limit runs beside them.
struct OnlineSoftmax : SoftmaxRows {
  static constexpr int kNoKeyYet = std::numeric_limits<int>::min();
  static constexpr int kAlwaysCheck = kNoKeyYet + 1;
  static constexpr float kSlack = 8.0F;       ///< exponents of two above the reference
  static constexpr float kMostSlack = 15.0F;  ///< 2^15 still is a number in fp16
  static constexpr int kEarly = 8;            ///< exponentials of begin_exponentials

  /// Bits of the highest score that leaves the reference as it is: +0 or more, or one of the above.
  int limit[kRowsPerThread] = {kNoKeyYet, kNoKeyYet};

  /// Takes in the first block of a tile, as advance does later ones; state as constructed.
  template <int kAhead, int kCount>
  __device__ __forceinline__ void start(const float (&scores)[kCount], float scale_log2,
                                        float (&ahead)[kAhead]) {
    float unused[kRowsPerThread];
    raise_reference(scores, scale_log2, unused);
    exponentiate_ahead(scores, scale_log2, ahead);
  }

  /// Checks a block of scores against the limit, and raises the reference where it is exceeded:
  /// then returns true, with the factor for earlier outputs in `rescale`. The probabilities of the
  /// first kAhead scores, computed meanwhile, are left in `ahead`.
  template <int kAhead, int kCount>
  __device__ __forceinline__ bool advance(const float (&scores)[kCount], float scale_log2,
                                          float (&ahead)[kAhead],
                                          float (&rescale)[kRowsPerThread]) {
    exponentiate_ahead(scores, scale_log2, ahead);
    bool exceeds = false;
    FA3PROF_UNROLL
    for (int r = 0; r < kRowsPerThread; ++r) {
      int bits[2] = {limit[r], limit[r]};
      raise_bits(scores, r, bits);
      // The special limits lie among the bits of negative scores, so they are asked for by name.
      exceeds = exceeds || limit[r] < 0 || max(bits[0], bits[1]) > limit[r];
    }
    ptx::pin_registers(ahead);
    if (__any_sync(0xffffffffU, exceeds) == 0) return false;
    raise_reference(scores, scale_log2, rescale);
    exponentiate_ahead(scores, scale_log2, ahead);
    return true;
  }

  /// Begins what exponentiate does, in place: the next kEarly probabilities after those of `ahead`,
  /// and the exponents of the others. finish_exponentials goes on.
  template <int kAhead, int kCount>
  __device__ __forceinline__ void begin_exponentials(float (&scores)[kCount],
                                                     float scale_log2) const {
    FA3PROF_UNROLL
    for (int i = kAhead; i < kCount; ++i) {
      scores[i] = fmaf(scores[i], scale_log2, -offset[row_of(i)]);
      if (i < kAhead + kEarly) scores[i] = ptx::ex2(scores[i]);
    }
    ptx::pin_registers(scores);
  }

  template <int kAhead, int kCount>
  __device__ __forceinline__ void finish_exponentials(float (&scores)[kCount],
                                                      const float (&ahead)[kAhead]) {
    FA3PROF_UNROLL
    for (int i = 0; i < kAhead; ++i) scores[i] = ahead[i];
    FA3PROF_UNROLL
    for (int i = kAhead + kEarly; i < kCount; ++i) scores[i] = ptx::ex2(scores[i]);
    add(scores);
  }

  /// Replaces scores by probabilities, those of `ahead` and the rest, and adds them to row_sum.
  template <int kAhead, int kCount>
  __device__ __forceinline__ void exponentiate(float (&scores)[kCount], float scale_log2,
                                               const float (&ahead)[kAhead]) {
    FA3PROF_UNROLL
    for (int i = 0; i < kCount; ++i) {
      scores[i] = i < kAhead ? ahead[i] : probability(scores[i], i, scale_log2);
    }
    add(scores);
  }

 private:
  template <int kCount>
  __device__ __forceinline__ void raise_reference(const float (&scores)[kCount], float scale_log2,
                                                  float (&rescale)[kRowsPerThread]) {
    FA3PROF_UNROLL
    for (int r = 0; r < kRowsPerThread; ++r) {
      const float largest = highest_of_row(scores, r);
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

}  // namespace fa3prof::kernels::tile
