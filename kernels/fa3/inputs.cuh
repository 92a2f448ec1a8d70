// What a consumer warpgroup of the FA3-style kernels takes in from a producer warp: tile numbers,
// Q, K and V.
#pragma once

#include "kernels/fa3/tile_work.cuh"
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/tile/ring.cuh"

#include <cstdint>

namespace fa3prof::kernels::fa3 {

/// The consumer's end of the rings.
template <typename Storage>
class RingEnds {
 public:
  __device__ __forceinline__ RingEnds(Storage& shared, int warpgroup)
      : shared_(shared),
        warpgroup_(warpgroup),
        thread_(static_cast<int>(threadIdx.x) % kWarpgroupThreads) {}

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

 protected:
  Storage& shared_;
  int warpgroup_;
  int thread_;
  tile::RingPosition<Storage::kStages> k_at_;
  tile::RingPosition<Storage::kStages> v_at_;

 private:
  unsigned q_parity_ = 0;
};

/// Inputs that a producer warp brings.
template <typename Storage>
class ReceivedInputs : public RingEnds<Storage> {
 public:
  using RingEnds<Storage>::RingEnds;

  /// The producer has begun by itself.
  __device__ __forceinline__ void start() {}

  [[nodiscard]] __device__ __forceinline__ int k_stage() const { return this->k_at_.stage; }

  [[nodiscard]] __device__ __forceinline__ int v_stage() const { return this->v_at_.stage; }

  /// The tile number that the producer drew.
  __device__ __forceinline__ int next_tile() {
    ptx::mbarrier_wait(&this->shared_.tile_full, tile_parity_);
    tile_parity_ ^= 1U;
    // The shuffle tells the compiler that the number is the same for the whole warp.
    const int tile_index = __shfl_sync(0xffffffffU, this->shared_.next_tile, 0);
    if (this->thread_ % 32 == 0) ptx::mbarrier_arrive(&this->shared_.tile_empty);
    return tile_index;
  }

  __device__ __forceinline__ void release_q() { release(this->shared_.q_empty[this->warpgroup_]); }

  __device__ __forceinline__ void release_k() {
    release(this->shared_.k_empty[this->k_at_.stage]);
    this->k_at_.advance();
  }

  __device__ __forceinline__ void release_v() {
    release(this->shared_.v_empty[this->v_at_.stage]);
    this->v_at_.advance();
  }

 private:
  /// One arrival for the whole warpgroup: its WGMMAs have been waited for, so all have read.
  __device__ __forceinline__ void release(std::uint64_t& barrier) {
    if (this->thread_ == 0) ptx::mbarrier_arrive(&barrier);
  }

  unsigned tile_parity_ = 0;
};

}  // namespace fa3prof::kernels::fa3
