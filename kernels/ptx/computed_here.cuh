// A value that the compiler must not prepare in advance.
#pragma once

#include <cstdint>

namespace fa3prof::kernels::ptx {

/// The same value, of which the compiler knows nothing: what follows from it is computed where it
/// is used, not kept in registers from before a loop on. Emits nothing.
__device__ __forceinline__ std::uint32_t computed_here(std::uint32_t value) {
  asm volatile("" : "+r"(value));
  return value;
}

}  // namespace fa3prof::kernels::ptx
