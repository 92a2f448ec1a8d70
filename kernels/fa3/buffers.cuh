// Shared memory of the FA3-style kernels: buffers of Q, K and V with their barriers.
#pragma once

#include "kernels/fa3/tile_work.cuh"
#include "kernels/ptx/mbarrier.cuh"

#include <cstdint>

namespace fa3prof::kernels::fa3 {

/// `Own` is what a kernel keeps besides, within the last KiB of these. V has `kValueChannels`.
template <typename Instance, typename Element, typename Own,
          int kValueChannels = Instance::kConfig.head_dim>
struct Buffers {
  static constexpr int kConsumers = Instance::kConfig.consumer_warpgroups;
  static constexpr int kStages = Instance::kConfig.stages;
  static constexpr int kQElements = kWarpgroupRows * Instance::kConfig.head_dim;
  static constexpr int kKElements = Instance::kConfig.tile_n * Instance::kConfig.head_dim;
  static constexpr int kVElements = Instance::kConfig.tile_n * kValueChannels;
  static constexpr unsigned kQBytes = kQElements * sizeof(Element);
  static constexpr unsigned kKBytes = kKElements * sizeof(Element);
  static constexpr unsigned kVBytes = kVElements * sizeof(Element);

  alignas(1024) Element q[kConsumers][kQElements];
  alignas(1024) Element k[kStages][kKElements];
  alignas(1024) Element v[kStages][kVElements];
  std::uint64_t q_full[kConsumers];
  std::uint64_t q_empty[kConsumers];
  std::uint64_t k_full[kStages];
  std::uint64_t k_empty[kStages];
  std::uint64_t v_full[kStages];
  std::uint64_t v_empty[kStages];
  std::uint64_t tile_full;
  std::uint64_t tile_empty;
  int next_tile;
  [[no_unique_address]] Own own;

  /// For one thread, before any other looks at the barriers.
  __device__ __forceinline__ void initialise_barriers() {
    for (int i = 0; i < kConsumers; ++i) {
      ptx::mbarrier_init(&q_full[i], 1);
      ptx::mbarrier_init(&q_empty[i], 1);
    }
    for (int stage = 0; stage < kStages; ++stage) {
      ptx::mbarrier_init(&k_full[stage], 1);
      ptx::mbarrier_init(&k_empty[stage], kConsumers);
      ptx::mbarrier_init(&v_full[stage], 1);
      ptx::mbarrier_init(&v_empty[stage], kConsumers);
    }
    ptx::mbarrier_init(&tile_full, 1);
    ptx::mbarrier_init(&tile_empty, kConsumers * kWarpgroupThreads / 32);
    ptx::fence_mbarrier_init();
  }
};

}  // namespace fa3prof::kernels::fa3
