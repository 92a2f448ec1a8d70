// Warpgroup control: register redistribution, named barriers, one elected lane.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#miscellaneous-instructions-setmaxnreg
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-bar
#pragma once

#include <cstdint>

namespace fa3prof::kernels::ptx {

/// Gives registers of this warpgroup back to the CTA's pool: keeps kRegisters per thread.
template <int kRegisters>
__device__ __forceinline__ void setmaxnreg_dec() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}

/// Takes registers from the pool up to kRegisters per thread; waits until they are there.
template <int kRegisters>
__device__ __forceinline__ void setmaxnreg_inc() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}

/// Waits at named barrier `id` until `threads` threads have arrived or synced there.
__device__ __forceinline__ void bar_sync(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/// Counts this warp at named barrier `id` without waiting.
__device__ __forceinline__ void bar_arrive(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/// threadIdx.x, read from its special register at each call, so that none holds it in between.
__device__ __forceinline__ int reread_thread_index() {
  int index = 0;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(index));
  return index;
}

/// True in one lane of the converged warp; the compiler sees a uniform branch.
__device__ __forceinline__ bool elect_sync() {
  std::uint32_t elected = 0;
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "elect.sync _|p, 0xffffffff;\n"
      "selp.b32 %0, 1, 0, p;\n"
      "}"
      : "=r"(elected));
  return elected != 0;
}

}  // namespace fa3prof::kernels::ptx
