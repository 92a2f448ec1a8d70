// What a consumer warpgroup of the FA3-style kernel takes in: tile numbers, Q, K and V, either from
// a producer warp or loaded by the consumers themselves.
#pragma once

#include "kernels/fa3_fp16/loader.cuh"
#include "kernels/fa3_fp16/storage.cuh"
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/tile/ring.cuh"

#include <cstdint>

namespace fa3prof::kernels::fa3_fp16 {

/// The consumer's end of the rings.
template <typename Instance>
class RingEnds {
 public:
  __device__ __forceinline__ RingEnds(SharedStorage<Instance>& shared, int warpgroup)
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
  SharedStorage<Instance>& shared_;
  int warpgroup_;
  int thread_;
  tile::RingPosition<Instance::kConfig.stages> k_at_;
  tile::RingPosition<Instance::kConfig.stages> v_at_;

 private:
  unsigned q_parity_ = 0;
};

/// Inputs that a producer warp brings.
template <typename Instance>
class ReceivedInputs : public RingEnds<Instance> {
 public:
  __device__ __forceinline__ ReceivedInputs(SharedStorage<Instance>& shared, const Parameters&,
                                            const TensorMaps&, int warpgroup)
      : RingEnds<Instance>(shared, warpgroup) {}

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

/// Inputs that the consumers load themselves. Q: each warpgroup its own. K and V: the warpgroup
/// that is the last to have read a buffer fills it again, so that none waits for another. Tiles are
/// the CTA's number and every gridDim.x-th after it.
template <typename Instance>
class OwnInputs : public RingEnds<Instance> {
 public:
  __device__ __forceinline__ OwnInputs(SharedStorage<Instance>& shared, const Parameters& p,
                                       const TensorMaps& maps, int warpgroup)
      : RingEnds<Instance>(shared, warpgroup),
        p_(p),
        loader_(shared, maps),
        tile_(static_cast<int>(blockIdx.x)) {}

  /// Fills the rings.
  __device__ __forceinline__ void start() {
    if (this->thread_ != 0) return;
    load_q_from(tile_);
    KeyBlock next = first_from(tile_);
    for (int stage = 0; stage < Instance::kConfig.stages; ++stage) {
      if (this->warpgroup_ == 0 && next.block >= 0) {
        loader_.load_k(next, stage);
        loader_.load_v(next, stage);
      }
      advance(next);
    }
    this->shared_.next_k[this->warpgroup_] = next;
    this->shared_.next_v[this->warpgroup_] = next;
  }

  // One thread has been off to load. The shuffles tell the compiler that these are nevertheless the
  // same for the whole warp; it would else compute the operands of every WGMMA in vector registers.
  [[nodiscard]] __device__ __forceinline__ int k_stage() const {
    return __shfl_sync(0xffffffffU, this->k_at_.stage, 0);
  }

  [[nodiscard]] __device__ __forceinline__ int v_stage() const {
    return __shfl_sync(0xffffffffU, this->v_at_.stage, 0);
  }

  __device__ __forceinline__ int next_tile() {
    tile_ += static_cast<int>(gridDim.x);
    return tile_;
  }

  /// That of the next tile takes the place of Q.
  __device__ __forceinline__ void release_q() {
    if (this->thread_ == 0) load_q_from(tile_ + static_cast<int>(gridDim.x));
  }

  __device__ __forceinline__ void release_k() {
    const int stage = this->k_at_.stage;
    refill(this->shared_.k_reads[stage], this->shared_.next_k[this->warpgroup_],
           [&](const KeyBlock& keys) { loader_.load_k(keys, stage); });
    this->k_at_.advance();
  }

  __device__ __forceinline__ void release_v() {
    const int stage = this->v_at_.stage;
    refill(this->shared_.v_reads[stage], this->shared_.next_v[this->warpgroup_],
           [&](const KeyBlock& keys) { loader_.load_v(keys, stage); });
    this->v_at_.advance();
  }

 private:
  /// The first tile from `tile_index` on that sees any key, or the end.
  __device__ __forceinline__ int visible_from(int tile_index) const {
    if constexpr (Instance::kIsCausal) {
      while (tile_index < p_.order.tiles && work_of<Instance>(p_, tile_index).key_blocks == 0) {
        tile_index += static_cast<int>(gridDim.x);
      }
    }
    return tile_index;
  }

  /// The last key block of that tile, which comes first.
  __device__ __forceinline__ KeyBlock first_from(int tile_index) const {
    const int tile = visible_from(tile_index);
    if (tile >= p_.order.tiles) return {.tile = tile, .kv_head = 0, .batch = 0, .block = -1};
    const Source source = source_of(p_, work_of<Instance>(p_, tile));
    return {tile, source.kv_head, source.batch, source.key_blocks - 1};
  }

  __device__ __forceinline__ void load_q_from(int tile_index) const {
    const int tile = visible_from(tile_index);
    if (tile >= p_.order.tiles) return;
    loader_.load_q(source_of(p_, work_of<Instance>(p_, tile)), this->warpgroup_);
  }

  __device__ __forceinline__ void advance(KeyBlock& next) const {
    if (next.block < 0) return;
    if (--next.block < 0) next = first_from(next.tile + static_cast<int>(gridDim.x));
  }

  /// The buffer has been read: the last to have done so brings the block that comes next into it.
  template <typename Load>
  __device__ __forceinline__ void refill(unsigned& reads, KeyBlock& next, Load load) const {
    if (this->thread_ != 0) return;
    if (is_last_reader(reads) && next.block >= 0) load(next);
    advance(next);
  }

  /// Counts a read of a buffer; its readers come round by round, since none can be two ahead.
  static __device__ __forceinline__ bool is_last_reader(unsigned& reads) {
    __threadfence_block();
    return atomicInc(&reads, Instance::kConfig.consumer_warpgroups - 1U) ==
           Instance::kConfig.consumer_warpgroups - 1U;
  }

  const Parameters& p_;
  Loader<Instance> loader_;
  int tile_;
};

}  // namespace fa3prof::kernels::fa3_fp16
