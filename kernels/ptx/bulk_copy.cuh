// Bulk copies of contiguous memory by the asynchronous proxy, without a tensor map.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-cp-async-bulk
#pragma once

#include "kernels/ptx/mbarrier.cuh"
#include "kernels/ptx/tma.cuh"

#include <cstdint>

namespace fa3prof::kernels::ptx {

/// Starts a copy of `bytes` (a multiple of 16) from global to shared memory, both 16-byte aligned;
/// they complete on `barrier`. One thread.
__device__ __forceinline__ void bulk_load(void* destination, const void* source,
                                          std::uint32_t bytes, std::uint64_t* barrier,
                                          CacheHint hint) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
      "[%0], [%1], %2, [%3], %4;" ::"r"(shared_address(destination)),
      "l"(reinterpret_cast<std::uint64_t>(source)), "r"(bytes), "r"(shared_address(barrier)),
      "l"(static_cast<std::uint64_t>(hint))
      : "memory");
}

}  // namespace fa3prof::kernels::ptx
