// Conversion of float32 to packed e4m3, rounding to nearest even; magnitudes above 448 become 448.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-cvt
#pragma once

#include <cstdint>

namespace fa3prof::kernels::ptx {

/// `a` goes to the lowest byte.
__device__ __forceinline__ std::uint32_t pack_e4m3(float a, float b, float c, float d) {
  std::uint32_t packed;
  asm("{\n"
      ".reg .b16 lower, upper;\n"
      "cvt.rn.satfinite.e4m3x2.f32 lower, %2, %1;\n"
      "cvt.rn.satfinite.e4m3x2.f32 upper, %4, %3;\n"
      "mov.b32 %0, {lower, upper};\n"
      "}"
      : "=r"(packed)
      : "f"(a), "f"(b), "f"(c), "f"(d));
  return packed;
}

}  // namespace fa3prof::kernels::ptx
