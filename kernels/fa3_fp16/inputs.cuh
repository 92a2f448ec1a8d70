// What a consumer warpgroup of the FA3-style kernel takes in: tile numbers, Q, K and V, either from
// a producer warp or loaded by the consumers themselves.
#pragma once

#include "kernels/fa3/inputs.cuh"
#include "kernels/fa3_fp16/loader.cuh"
#include "kernels/fa3_fp16/storage.cuh"

namespace fa3prof::kernels::fa3_fp16 {

/// Inputs that a producer warp brings.
template <typename Instance>
class ReceivedInputs : public fa3::ReceivedInputs<SharedStorage<Instance>> {
 public:
  __device__ __forceinline__ ReceivedInputs(SharedStorage<Instance>& shared, const Parameters&,
                                            const TensorMaps&, int warpgroup)
      : fa3::ReceivedInputs<SharedStorage<Instance>>(shared, warpgroup) {}
};

/// Inputs that the consumers load themselves. Q: each warpgroup its own. K and V: the warpgroup
/// that is the last to have read a buffer fills it again, so that none waits for another. Tiles are
/// the CTA's number and every gridDim.x-th after it.
template <typename Instance>
class OwnInputs : public fa3::RingEnds<SharedStorage<Instance>> {
 public:
  __device__ __forceinline__ OwnInputs(SharedStorage<Instance>& shared, const Parameters& p,
                                       const TensorMaps& maps, int warpgroup)
      : fa3::RingEnds<SharedStorage<Instance>>(shared, warpgroup),
        p_(p),
        loader_(shared, p, maps),
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
    this->shared_.own.next_k[this->warpgroup_] = next;
    this->shared_.own.next_v[this->warpgroup_] = next;
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
    refill(this->shared_.own.k_reads[stage], this->shared_.own.next_k[this->warpgroup_],
           [&](const KeyBlock& keys) { loader_.load_k(keys, stage); });
    this->k_at_.advance();
  }

  __device__ __forceinline__ void release_v() {
    const int stage = this->v_at_.stage;
    refill(this->shared_.own.v_reads[stage], this->shared_.own.next_v[this->warpgroup_],
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
    const auto source = loader_.source_of(work_of<Instance>(p_, tile));
    return {tile, source.kv_head, source.batch, source.key_blocks - 1};
  }

  __device__ __forceinline__ void load_q_from(int tile_index) const {
    const int tile = visible_from(tile_index);
    if (tile >= p_.order.tiles) return;
    loader_.load_q(loader_.source_of(work_of<Instance>(p_, tile)), this->warpgroup_);
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
