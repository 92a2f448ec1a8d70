// Predicated stores to global memory. A branch around a store would split the warp as far as the
// compiler can tell, and addresses of later WGMMAs would no longer count as uniform.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-st
#pragma once

#include <cstdint>

namespace fa3prof::kernels::ptx {

/// Stores 16 bytes to `address` (16-byte aligned) where `is_on`.
__device__ __forceinline__ void store_16_bytes_if(bool is_on, void* address,
                                                  const std::uint32_t (&v)[4]) {
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "setp.ne.b32 p, %0, 0;\n"
      "@p st.global.v4.b32 [%1], {%2, %3, %4, %5};\n"
      "}" ::"r"(static_cast<int>(is_on)),
      "l"(address), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3])
      : "memory");
}

/// Stores one float to `address` where `is_on`.
__device__ __forceinline__ void store_float_if(bool is_on, float* address, float value) {
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "setp.ne.b32 p, %0, 0;\n"
      "@p st.global.f32 [%1], %2;\n"
      "}" ::"r"(static_cast<int>(is_on)),
      "l"(address), "f"(value)
      : "memory");
}

}  // namespace fa3prof::kernels::ptx
