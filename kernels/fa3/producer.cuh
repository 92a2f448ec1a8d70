// The producer thread of the FA3-style kernels: all loads, and the tile numbers.
#pragma once

#include "kernels/fa3/stage_trace.cuh"
#include "kernels/fa3/tile_work.cuh"
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/ptx/unroll.h"
#include "kernels/tile/ring.cuh"

namespace fa3prof::kernels::fa3 {

/// The producer thread. It loads in the order in which the consumers ask: K one block ahead of V,
/// and the first K and Q of the next tile before the last V of this one. A Loader starts the copies
/// into buffers that are free, and knows what a tile needs of its place (Loader::Source).
template <typename Instance, typename Storage, typename Loader>
class Producer {
 public:
  using Source = typename Loader::Source;

  __device__ __forceinline__ Producer(Storage& shared, const Parameters& p, const Loader& loader)
      : shared_(shared), p_(p), loader_(loader) {}

  /// Stamps go to `rings`.
  __device__ __forceinline__ void run(Rings<Instance> rings) {
    stamps_.start(rings, kRole);
    load_all();
    stamps_.finish(kRole);
  }

 private:
  using Stage = core::Stage;
  static constexpr int kRole = 0;

  __device__ __forceinline__ void load_all() {
    Source source = next_source(static_cast<int>(blockIdx.x));
    if (source.key_blocks == 0) return;
    load_k(source, source.key_blocks - 1);
    load_q(source);
    while (true) {
      for (int block = source.key_blocks - 1; block > 0; --block) {
        load_k(source, block - 1);
        load_v(source, block);
      }
      // Drawn as late as the loads allow: a tile drawn early would wait behind a long one.
      const Source next = next_source(draw_tile());
      if (next.key_blocks == 0) break;
      load_k(next, next.key_blocks - 1);
      load_v(source, 0);
      load_q(next);
      source = next;
    }
    load_v(source, 0);
  }

  /// The first tile from number `tile_index` on that sees any key, or none (key_blocks = 0).
  __device__ __forceinline__ Source next_source(int tile_index) {
    while (tile_index < p_.order.tiles) {
      const Work work = work_of<Instance>(p_, tile_index);
      if (!Instance::kIsCausal || work.key_blocks > 0) return loader_.source_of(work);
      tile_index = draw_tile();
    }
    return {};
  }

  /// Draws the next tile number and tells the consumers.
  __device__ __forceinline__ int draw_tile() {
    const int tile_index = tile::draw_tile(p_.tile_counter, p_.order);
    ptx::mbarrier_wait(&shared_.tile_empty, tile_parity_ ^ 1U);
    tile_parity_ ^= 1U;
    shared_.next_tile = tile_index;
    ptx::mbarrier_arrive(&shared_.tile_full);
    return tile_index;
  }

  __device__ __forceinline__ void load_q(const Source& source) {
    FA3PROF_UNROLL
    for (int i = 0; i < Instance::kConfig.consumer_warpgroups; ++i) {
      ptx::mbarrier_wait(&shared_.q_empty[i], q_parity_ ^ 1U);
      loader_.load_q(source, i);
    }
    q_parity_ ^= 1U;
    stamps_.stamp(Stage::kLoadQ);
    stamps_.write();
  }

  __device__ __forceinline__ void load_k(const Source& source, int block) {
    // A fresh ring is empty: waiting for the parity before the first passes at once.
    ptx::mbarrier_wait(&shared_.k_empty[k_at_.stage], k_at_.parity ^ 1U);
    loader_.load_k(source, block, k_at_.stage);
    stamps_.stamp_buffer(Stage::kLoadK, k_at_.stage);
    k_at_.advance();
  }

  __device__ __forceinline__ void load_v(const Source& source, int block) {
    ptx::mbarrier_wait(&shared_.v_empty[v_at_.stage], v_at_.parity ^ 1U);
    loader_.load_v(source, block, v_at_.stage);
    stamps_.stamp_buffer(Stage::kLoadV, v_at_.stage);
    stamps_.write();
    v_at_.advance();
  }

  Storage& shared_;
  const Parameters& p_;
  Loader loader_;
  tile::RingPosition<Instance::kConfig.stages> k_at_;
  tile::RingPosition<Instance::kConfig.stages> v_at_;
  unsigned q_parity_ = 0;
  unsigned tile_parity_ = 0;
  [[no_unique_address]] StageStamps<Instance> stamps_;
};

}  // namespace fa3prof::kernels::fa3
