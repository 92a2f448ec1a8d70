// Clocks and identity of a multiprocessor.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#special-registers
#pragma once

#include <cstdint>

namespace fa3prof::kernels::ptx {

/// Cycles of this SM's clock; counts on across kernels.
__device__ __forceinline__ std::uint64_t clock64() {
  std::uint64_t cycles;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
  return cycles;
}

/// The low half of clock64(): cheaper to read.
__device__ __forceinline__ std::uint32_t clock32() {
  std::uint32_t cycles;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
  return cycles;
}

/// Nanoseconds of a clock that all SMs share; it ticks coarsely (32 ns to 1 us).
__device__ __forceinline__ std::uint64_t globaltimer() {
  std::uint64_t nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds)::"memory");
  return nanoseconds;
}

/// Number of the SM that this thread runs on.
__device__ __forceinline__ std::uint32_t smid() {
  std::uint32_t id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

}  // namespace fa3prof::kernels::ptx
