// What a consumer warpgroup of the FA3-style kernel for e4m3 takes in from the producer: tile
// numbers, Q, K and V.
#pragma once

#include "kernels/fa3_fp8/storage.cuh"
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/tile/ring.cuh"

#include <cstdint>

namespace fa3prof::kernels::fa3_fp8 {

/// The consumer's end of the rings.
template <typename Instance>
class ReceivedInputs {
 public:
  __device__ __forceinline__ ReceivedInputs(SharedStorage<Instance>& shared, int warpgroup)
      : shared_(shared),
        warpgroup_(warpgroup),
        thread_(static_cast<int>(threadIdx.x) % kWarpgroupThreads) {}

  [[nodiscard]] __device__ __forceinline__ int k_stage() const { return k_at_.stage; }

  [[nodiscard]] __device__ __forceinline__ int v_stage() const { return v_at_.stage; }

  /// The tile number that the producer drew.
  __device__ __forceinline__ int next_tile() {
    ptx::mbarrier_wait(&shared_.tile_full, tile_parity_);
    tile_parity_ ^= 1U;
    // The shuffle tells the compiler that the number is the same for the whole warp.
    const int tile_index = __shfl_sync(0xffffffffU, shared_.next_tile, 0);
    if (thread_ % 32 == 0) ptx::mbarrier_arrive(&shared_.tile_empty);
    return tile_index;
  }

  __device__ __forceinline__ void wait_for_q() {
    ptx::mbarrier_wait(&shared_.q_full[warpgroup_], q_parity_);
    q_parity_ ^= 1U;
  }

  __device__ __forceinline__ void wait_for_k() {
    ptx::mbarrier_wait(&shared_.k_full[k_at_.stage], k_at_.parity);
  }

  __device__ __forceinline__ void wait_for_v() {
    ptx::mbarrier_wait(&shared_.v_full[v_at_.stage], v_at_.parity);
  }

  __device__ __forceinline__ void release_q() { release(shared_.q_empty[warpgroup_]); }

  __device__ __forceinline__ void release_k() {
    release(shared_.k_empty[k_at_.stage]);
    k_at_.advance();
  }

  __device__ __forceinline__ void release_v() {
    release(shared_.v_empty[v_at_.stage]);
    v_at_.advance();
  }

 private:
  /// One arrival for the whole warpgroup: its WGMMAs have been waited for, so all have read.
  __device__ __forceinline__ void release(std::uint64_t& barrier) {
    if (thread_ == 0) ptx::mbarrier_arrive(&barrier);
  }

  SharedStorage<Instance>& shared_;
  int warpgroup_;
  int thread_;
  tile::RingPosition<Instance::kConfig.stages> k_at_;
  tile::RingPosition<Instance::kConfig.stages> v_at_;
  unsigned q_parity_ = 0;
  unsigned tile_parity_ = 0;
};

}  // namespace fa3prof::kernels::fa3_fp8
