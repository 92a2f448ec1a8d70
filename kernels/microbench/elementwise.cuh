// Elementwise work as in the softmax of attention, in registers: a row maximum, then p = 2^(s c -
// m), the row sum of p and its rounding to pairs of 16 bits. Any subset of these instructions.
#pragma once

#include "kernels/ptx/convert.cuh"
#include "kernels/ptx/element.h"
#include "kernels/ptx/scalar.cuh"
#include "kernels/ptx/unroll.h"

#include <cstdint>

namespace fa3prof::kernels::microbench {

/// Instructions per element: one each, kPack one per two elements.
enum Work : unsigned { kMax = 1, kFma = 2, kEx2 = 4, kAdd = 8, kPack = 16 };

inline constexpr unsigned kExponential = kFma | kEx2 | kAdd | kPack;
inline constexpr unsigned kSoftmax = kMax | kExponential;

inline constexpr int kElements = 32;  ///< of a thread and round

/// The elements of one thread and what is made of them. Every round changes its own inputs, so that
/// none is invariant.
template <unsigned kWork>
class Elementwise {
 public:
  __device__ explicit Elementwise(float seed) : scale_(seed * 0.25F), bias_(-seed) {
    FA3PROF_UNROLL
    for (int i = 0; i < kElements; ++i) s_[i] = seed + static_cast<float>(i);
  }

  __device__ __forceinline__ void round() {
    if constexpr ((kWork & kMax) != 0) find_maxima();
    FA3PROF_UNROLL
    for (int i = 0; i < kElements; i += 2) exponentiate(i);
  }

  [[nodiscard]] __device__ __forceinline__ float sum() const {
    float sum = 0.0F;
    FA3PROF_UNROLL
    for (int i = 0; i < kElements; ++i) sum += s_[i];
    FA3PROF_UNROLL
    for (int i = 0; i < kElements / 2; ++i) sum += __uint_as_float(packed_[i]);
    FA3PROF_UNROLL
    for (int i = 0; i < kChains; ++i) sum += sums_[i] + maxima_[i];
    return sum;
  }

 private:
  static constexpr int kChains = 4;

  __device__ __forceinline__ void find_maxima() {
    FA3PROF_UNROLL
    for (int i = 0; i < kElements; ++i) ptx::fmnmx(maxima_[i % kChains], s_[i]);
  }

  __device__ __forceinline__ void exponentiate(int i) {
    float p[2];
    FA3PROF_UNROLL
    for (int j = 0; j < 2; ++j) {
      float& s = s_[i + j];
      if constexpr ((kWork & kFma) != 0) ptx::ffma(s, scale_, bias_);
      p[j] = s;
      if constexpr ((kWork & kEx2) != 0) ptx::mufu_ex2(p[j]);
      if constexpr ((kWork & (kAdd | kPack)) == 0) s = p[j];
      if constexpr ((kWork & kAdd) != 0) ptx::fadd(sums_[(i + j) % kChains], p[j]);
    }
    if constexpr ((kWork & kPack) != 0) {
      const std::uint32_t pair = ptx::pack_pair<ptx::Element::kF16>(p[0], p[1]);
      if constexpr (kWork == kPack) {
        s_[i] = __uint_as_float(pair);
      } else {
        packed_[i / 2] = pair;
      }
    }
  }

  float scale_;
  float bias_;
  float s_[kElements];
  float sums_[kChains] = {};
  float maxima_[kChains] = {};
  std::uint32_t packed_[kElements / 2] = {};
};

}  // namespace fa3prof::kernels::microbench
