// Conversion of float32 pairs to packed 16-bit elements, rounding to nearest even.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-cvt
#pragma once

#include "kernels/ptx/element.h"

#include <cstdint>

namespace fa3prof::kernels::ptx {

/// `lower` goes to the low half, which is the lower column of a fragment.
template <Element kElement>
__device__ __forceinline__ std::uint32_t pack_pair(float lower, float upper) {
  std::uint32_t packed;
  if constexpr (kElement == Element::kF16) {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(upper), "f"(lower));
  } else {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(upper), "f"(lower));
  }
  return packed;
}

}  // namespace fa3prof::kernels::ptx
