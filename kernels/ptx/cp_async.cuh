// cp.async: 16-byte copies from global to shared memory that bypass registers and L1.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-cp-async
#pragma once

#include <cstdint>

namespace fa3prof::kernels::ptx {

/// Starts a copy of 16 bytes; both addresses are multiples of 16.
__device__ __forceinline__ void cp_async_cg(std::uint32_t shared_address, const void* source) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address),
               "l"(__cvta_generic_to_global(source))
               : "memory");
}

/// The same, but writes 16 zero bytes without reading `source` unless `is_read`.
__device__ __forceinline__ void cp_async_cg_zfill(std::uint32_t shared_address, const void* source,
                                                  bool is_read) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address),
               "l"(__cvta_generic_to_global(source)), "r"(is_read ? 16 : 0)
               : "memory");
}

/// Waits for all copies that this thread has started; a barrier then shows them to other threads.
__device__ __forceinline__ void cp_async_wait_all() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

}  // namespace fa3prof::kernels::ptx
