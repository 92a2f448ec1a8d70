// Online softmax on the scores of e4m3 products: probabilities for e4m3, and scales that change
// from block to block.
#pragma once

#include "kernels/fa3_fp8/config.h"
#include "kernels/ptx/convert_e4m3.cuh"
#include "kernels/ptx/math.cuh"
#include "kernels/ptx/pin_registers.cuh"
#include "kernels/ptx/unroll.h"
#include "kernels/tile/softmax_rows.cuh"

#include <cmath>
#include <cstdint>

namespace fa3prof::kernels::fa3_fp8 {

/// 2^x on the FMA pipe, for x below 128: good to 2.3e-3, where e4m3 rounds by up to 6e-2. 0 for
/// -inf and all below -127; NaN gives NaN.
__device__ __forceinline__ float ex2_by_polynomial(float x) {
  constexpr float kMagic = 0x1.8p23F;  // added: the lowest bits are those of the nearest integer
  constexpr float kLinear = 0.70360118F;
  constexpr float kSquare = 0.24203533F;
  const float bounded = ptx::max_nan(x, -127.0F);
  const float shifted = bounded + kMagic;
  const float rest = bounded - (shifted - kMagic);
  const float power = __int_as_float((__float_as_int(shifted) << 23) + 0x3F800000);
  return power * fmaf(rest, fmaf(rest, kSquare, kLinear), 1.0F);
}

/// What turns the raw scores of a block into exponents of two, and its V into numbers.
struct BlockScales {
  float score;   ///< softmax_scale * log2(e) * factor of Q * factor of K; >= 0
  float v_log2;  ///< log2 of the factor of V
};

/// State of a thread's two rows over the key blocks seen so far. The factor of V rides on the
/// exponents: a weight is 2^(exponent + v_log2 - offset), a probability times the factor of its V,
/// so that P V needs no factor; row_sum takes it out again block by block. The offset puts the
/// largest weight of the first block at 2^kStart, and is raised only when one would exceed 2^kTop:
/// e4m3 ends at 448 = 2^8.81 and keeps three fraction bits down to 2^-6. So between two raises no
/// block is rescaled, and what is 2^-(kStart + 6) of the largest weight or more is rounded like it.
/// A weight that raises the offset is put at 2^kRaised: few exceed so large a one, and the range
/// below it is kept whole.
/// Offsets are in exponents and not in raw scores, which differ in scale from block to block.
/// kSumsInGemm: row_sum is left to GemmSums.
template <bool kSumsInGemm>
struct BlockSoftmax {
  static constexpr float kNoKeyYet = -1e30F;  ///< below every exponent, and finite: -inf stays -inf
  static constexpr float kStart = kWeightStartLog2;
  static constexpr float kRaised = kWeightRaisedLog2;
  static constexpr float kTop = kWeightTopLog2;

  float row_sum[tile::kRowsPerThread] = {0.0F, 0.0F};  ///< of this thread's columns only
  float offset[tile::kRowsPerThread] = {kNoKeyYet, kNoKeyYet};

  /// Checks a block of scores against the highest exponent allowed, and raises the offset where it
  /// is exceeded: then returns true, with the factor for earlier outputs in `rescale`. The
  /// weights of the first kAhead scores, computed meanwhile, are left in `ahead`.
  template <int kAhead, int kCount>
  __device__ __forceinline__ bool advance(const float (&scores)[kCount], const BlockScales& scales,
                                          float (&ahead)[kAhead],
                                          float (&rescale)[tile::kRowsPerThread]) {
    exponentiate_ahead(scores, scales, ahead);
    // A limit below +0 lies among the bits of negative scores, so it is asked for by name.
    const float inverse = __fdividef(1.0F, scales.score);
    bool exceeds = false;
    FA3PROF_UNROLL
    for (int r = 0; r < tile::kRowsPerThread; ++r) {
      const int limit = __float_as_int((offset[r] + kTop - scales.v_log2) * inverse);
      int bits[2] = {limit, limit};
      tile::raise_bits(scores, r, bits);
      exceeds = exceeds || limit < 0 || max(bits[0], bits[1]) > limit;
    }
    ptx::pin_registers(ahead);
    if (__any_sync(0xffffffffU, exceeds) == 0) return false;
    raise_offsets(scores, scales, rescale);
    exponentiate_ahead(scores, scales, ahead);
    return true;
  }

  /// Replaces scores by weights, those of `ahead` and the rest, and adds them to row_sum. Of
  /// kPolynomialEvery (0: of none) one is computed beside the MUFU unit.
  template <int kPolynomialEvery, int kAhead, int kCount>
  __device__ __forceinline__ void exponentiate(float (&scores)[kCount], const BlockScales& scales,
                                               const float (&ahead)[kAhead]) {
    FA3PROF_UNROLL
    for (int i = 0; i < kCount; ++i) {
      if (i < kAhead) {
        scores[i] = ahead[i];
      } else if (is_one_of(i, kPolynomialEvery)) {
        scores[i] = ex2_by_polynomial(exponent(scores[i], i, scales));
      } else {
        scores[i] = ptx::ex2(exponent(scores[i], i, scales));
      }
    }
    if constexpr (!kSumsInGemm) add(scores, ptx::ex2(-scales.v_log2));
  }

  /// Completes row_sum over the row's four lanes; call once, after the last block.
  __device__ __forceinline__ void finish_sums() {
    FA3PROF_UNROLL
    for (int r = 0; r < tile::kRowsPerThread; ++r) {
      row_sum[r] = tile::reduce_quad(row_sum[r], [](float a, float b) { return a + b; });
    }
  }

  [[nodiscard]] __device__ __forceinline__ bool has_keys(int r) const { return row_sum[r] != 0.0F; }

  /// Natural logarithm of the sum of exponentials of row r; -inf for an empty row.
  [[nodiscard]] __device__ __forceinline__ float log_sum_exp(int r) const {
    constexpr float kLn2 = 0.693147180559945309F;
    return has_keys(r) ? (offset[r] + __log2f(row_sum[r])) * kLn2 : -INFINITY;
  }

 private:
  [[nodiscard]] static constexpr bool is_one_of(int i, int every) {
    return every != 0 && i % every == every - 1;
  }

  template <int kCount>
  __device__ __forceinline__ void add(const float (&weights)[kCount], float v_inverse) {
    FA3PROF_UNROLL
    for (int r = 0; r < tile::kRowsPerThread; ++r) {
      float sum = 0.0F;
      FA3PROF_UNROLL
      for (int i = 2 * r; i < kCount; i += 4) sum += weights[i] + weights[i + 1];
      row_sum[r] = fmaf(sum, v_inverse, row_sum[r]);
    }
  }

  /// Of the weight of score number `i`.
  [[nodiscard]] __device__ __forceinline__ float exponent(float score, int i,
                                                          const BlockScales& scales) const {
    return fmaf(score, scales.score, scales.v_log2 - offset[tile::row_of(i)]);
  }

  template <int kAhead, int kCount>
  __device__ __forceinline__ void exponentiate_ahead(const float (&scores)[kCount],
                                                     const BlockScales& scales,
                                                     float (&ahead)[kAhead]) const {
    FA3PROF_UNROLL
    for (int i = 0; i < kAhead; ++i) ahead[i] = ptx::ex2(exponent(scores[i], i, scales));
  }

  template <int kCount>
  __device__ __forceinline__ void raise_offsets(const float (&scores)[kCount],
                                                const BlockScales& scales,
                                                float (&rescale)[tile::kRowsPerThread]) {
    FA3PROF_UNROLL
    for (int r = 0; r < tile::kRowsPerThread; ++r) {
      const float largest = tile::highest_of_row(scores, r);
      const float exponent = fmaf(largest, scales.score, scales.v_log2);
      const float place = offset[r] == kNoKeyYet ? kStart : kRaised;
      const float raised = exponent > offset[r] + kTop ? exponent - place : offset[r];
      rescale[r] = ptx::ex2(offset[r] - raised);
      offset[r] = raised;
      if constexpr (!kSumsInGemm) row_sum[r] *= rescale[r];
    }
  }
};

/// Row sums that P V brings along, V being followed by channels of ones. They are of the weights as
/// they were cast, like O, and complete in each of the four lanes that share a row.
struct GemmSums {
  float of_block[4] = {};                              ///< accumulators: two of each row, all alike
  float row_sum[tile::kRowsPerThread] = {0.0F, 0.0F};  ///< of the blocks before

  /// The block whose P V comes next has this factor of V.
  __device__ __forceinline__ void begin_block(float v_log2) { v_inverse_ = ptx::ex2(-v_log2); }

  /// Adds a block, whose P V has been waited for. Each has sums of its own, since WGMMA adds with
  /// 13 fraction bits, and all weights are positive.
  __device__ __forceinline__ void end_block() {
    FA3PROF_UNROLL
    for (int r = 0; r < tile::kRowsPerThread; ++r) {
      row_sum[r] = fmaf(of_block[2 * r], v_inverse_, row_sum[r]);
    }
    ptx::clear_registers(of_block);
  }

  __device__ __forceinline__ void rescale(const float (&factor)[tile::kRowsPerThread]) {
    FA3PROF_UNROLL
    for (int r = 0; r < tile::kRowsPerThread; ++r) row_sum[r] *= factor[r];
  }

  /// Hands the sums over and starts again.
  __device__ __forceinline__ void finish(float (&sums)[tile::kRowsPerThread]) {
    FA3PROF_UNROLL
    for (int r = 0; r < tile::kRowsPerThread; ++r) {
      sums[r] = row_sum[r];
      row_sum[r] = 0.0F;
    }
  }

 private:
  float v_inverse_ = 0.0F;
};

/// Weights as the A operand of the second GEMM, for V in the order of place_of_key.
template <int kCount>
__device__ __forceinline__ void pack(const float (&values)[kCount],
                                     std::uint32_t (&packed)[kCount / 4]) {
  FA3PROF_UNROLL
  for (int i = 0; i < kCount; i += 8) {
    packed[i / 4] = ptx::pack_e4m3(values[i], values[i + 1], values[i + 4], values[i + 5]);
    packed[i / 4 + 1] = ptx::pack_e4m3(values[i + 2], values[i + 3], values[i + 6], values[i + 7]);
  }
}

}  // namespace fa3prof::kernels::fa3_fp8
