// Launching a microbenchmark's kernel, and the few lines that all of their device code shares.
#pragma once

#include "kernels/microbench/session.h"
#include "kernels/ptx/clock.cuh"
#include "kernels/runtime/cuda_check.h"
#include "kernels/runtime/launch.h"

#include <cstddef>
#include <cstdint>

namespace fa3prof::kernels::microbench {

struct Shape {
  unsigned grid = 0;
  unsigned threads = 0;
  std::size_t shared_bytes = 0;  ///< dynamic
};

/// Enqueues `kernel` on the session's stream.
template <typename... Parameters, typename... Arguments>
void launch(const Session& session, const Shape& shape, void (*kernel)(Parameters...),
            const Arguments&... arguments) {
  constexpr std::size_t kAlwaysAllowed = 48 * 1024;
  if (shape.shared_bytes > kAlwaysAllowed) {
    allow_shared_memory(reinterpret_cast<const void*>(kernel), shape.shared_bytes);
  }
  kernel<<<shape.grid, shape.threads, shape.shared_bytes, session.stream()>>>(arguments...);
  cuda_check(cudaGetLastError());
}

/// The same for every thread of the warp, as far as the compiler can tell.
__device__ __forceinline__ int uniform_warpgroup() {
  return __shfl_sync(0xffffffffU, static_cast<int>(threadIdx.x) / 128, 0);
}

/// Cycles since `begin`, or the largest number that fits. All 64 bits count: for 32 bits of a value
/// that a warp has in common the compiler takes a clock read that lasts some twenty cycles.
__device__ __forceinline__ std::uint32_t cycles_since(std::uint64_t begin) {
  constexpr std::uint64_t kMost = 0xFFFFFFFFU;
  const std::uint64_t cycles = ptx::clock64() - begin;
  return static_cast<std::uint32_t>(cycles < kMost ? cycles : kMost);
}

__device__ __forceinline__ void spin_until(std::uint64_t cycle) {
  while (ptx::clock64() < cycle) {
  }
}

/// Leaves the cycles since `begin`, once all threads have got here, as this CTA's result.
__device__ __forceinline__ void finish(std::uint32_t* results, std::uint64_t begin) {
  __syncthreads();
  const std::uint32_t cycles = cycles_since(begin);
  if (threadIdx.x == 0) results[blockIdx.x] = cycles;
}

}  // namespace fa3prof::kernels::microbench
