// Order between plain code and asm statements, as far as the compiler's front end moves them.
#pragma once

#include "kernels/ptx/unroll.h"

namespace fa3prof::kernels::ptx {

/// Keeps plain reads and writes of these registers on their side of a wait or fence. Emits nothing.
template <typename T, int kCount>
__device__ __forceinline__ void pin_registers(T (&registers)[kCount]) {
  FA3PROF_UNROLL
  for (int i = 0; i < kCount; ++i) {
    if constexpr (sizeof(T) == sizeof(float) && static_cast<T>(0.5F) != static_cast<T>(0)) {
      asm volatile("" : "+f"(registers[i])::"memory");
    } else {
      asm volatile("" : "+r"(registers[i])::"memory");
    }
  }
}

/// Sets registers to zero by instructions of their own. ptxas merges plain assignments of constants
/// with others, and where these are accumulators it serialises their WGMMAs for it (C7511).
template <int kCount>
__device__ __forceinline__ void clear_registers(float (&registers)[kCount]) {
  FA3PROF_UNROLL
  for (float& value : registers) asm volatile("mov.f32 %0, 0f00000000;" : "=f"(value));
}

}  // namespace fa3prof::kernels::ptx
