// TMA: bulk tensor copies between global and shared memory.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-cp-async-bulk-tensor
#pragma once

#include "kernels/ptx/mbarrier.cuh"

#include <cuda.h>

#include <cstdint>

namespace fa3prof::kernels::ptx {

/// L2 eviction priorities in the encoding that .L2::cache_hint takes (createpolicy.fractional with
/// fraction 1).
enum class CacheHint : std::uint64_t {
  kEvictFirst = 0x12F0000000000000,
  kEvictLast = 0x14F0000000000000,
};

/// Brings the map itself close before the first copy needs it.
__device__ __forceinline__ void prefetch_tensormap(const CUtensorMap* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(reinterpret_cast<std::uint64_t>(map)) : "memory");
}

/// Where a tile of a map from make_tile_map starts.
struct TileCoordinates {
  std::int32_t row;
  std::int32_t head;
  std::int32_t batch;
};

/// Starts the copy of one tile; its bytes complete on `barrier`. One thread.
__device__ __forceinline__ void tma_load_tile(void* destination, const CUtensorMap* map,
                                              TileCoordinates at, std::uint64_t* barrier,
                                              CacheHint hint) {
  asm volatile(
      "cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
      "[%0], [%1, {%3, %4, %3, %5, %6}], [%2], %7;" ::"r"(shared_address(destination)),
      "l"(reinterpret_cast<std::uint64_t>(map)), "r"(shared_address(barrier)), "r"(0), "r"(at.row),
      "r"(at.head), "r"(at.batch), "l"(static_cast<std::uint64_t>(hint))
      : "memory");
}

}  // namespace fa3prof::kernels::ptx
