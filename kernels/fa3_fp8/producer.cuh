// The producer thread of the FA3-style kernel for e4m3: all loads, and the tile numbers.
#pragma once

#include "kernels/fa3_fp8/storage.cuh"
#include "kernels/ptx/bulk_copy.cuh"
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/ptx/unroll.h"
#include "kernels/tile/ring.cuh"

#include <cstdint>

namespace fa3prof::kernels::fa3_fp8 {

/// Where a tile comes from. Worked out once a tile: a buffer that becomes free is to be filled
/// again at once.
struct Source {
  const std::uint8_t* q;  ///< the tile's first row
  const std::uint8_t* k;  ///< the head's first key
  const std::uint8_t* v;
  int key_blocks;
};

/// The producer thread. It loads in the order in which the consumers ask: K one block ahead of V,
/// and the first K and Q of the next tile before the last V of this one.
template <typename Instance>
class Producer {
 public:
  __device__ __forceinline__ Producer(SharedStorage<Instance>& shared, const Parameters& p)
      : shared_(shared), p_(p) {}

  __device__ __forceinline__ void run() {
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

 private:
  static constexpr unsigned kQBytes = SharedStorage<Instance>::kQBytes;
  static constexpr unsigned kKvBytes = SharedStorage<Instance>::kKvBytes;

  /// The first tile from number `tile_index` on that sees any key, or none (key_blocks = 0).
  __device__ __forceinline__ Source next_source(int tile_index) {
    while (tile_index < p_.order.tiles) {
      const Work work = work_of<Instance>(p_, tile_index);
      if (!Instance::kIsCausal || work.key_blocks > 0) return source_of(work);
      tile_index = draw_tile();
    }
    return {};
  }

  __device__ __forceinline__ Source source_of(const Work& work) const {
    constexpr std::int64_t kRowBytes = Instance::kConfig.head_dim;
    const std::int64_t row = std::int64_t{work.pair} * p_.query_rows + work.first_row;
    const std::int64_t block = std::int64_t{kv_pair_of(p_, work.pair)} * p_.key_blocks;
    return {p_.inputs.q + row * kRowBytes, p_.inputs.k + block * kKvBytes,
            p_.inputs.v + block * kKvBytes, work.key_blocks};
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
      load(shared_.q[i], source.q + i * kQBytes, shared_.q_full[i], ptx::CacheHint::kEvictFirst);
    }
    q_parity_ ^= 1U;
  }

  __device__ __forceinline__ void load_k(const Source& source, int block) {
    // A fresh ring is empty: waiting for the parity before the first passes at once.
    ptx::mbarrier_wait(&shared_.k_empty[k_at_.stage], k_at_.parity ^ 1U);
    load(shared_.k[k_at_.stage], source.k + block * std::int64_t{kKvBytes},
         shared_.k_full[k_at_.stage], ptx::CacheHint::kEvictLast);
    k_at_.advance();
  }

  __device__ __forceinline__ void load_v(const Source& source, int block) {
    ptx::mbarrier_wait(&shared_.v_empty[v_at_.stage], v_at_.parity ^ 1U);
    load(shared_.v[v_at_.stage], source.v + block * std::int64_t{kKvBytes},
         shared_.v_full[v_at_.stage], ptx::CacheHint::kEvictLast);
    v_at_.advance();
  }

  template <int kBytes>
  static __device__ __forceinline__ void load(std::uint8_t (&buffer)[kBytes],
                                              const std::uint8_t* source, std::uint64_t& full,
                                              ptx::CacheHint hint) {
    ptx::mbarrier_arrive_expect_tx(&full, kBytes);
    ptx::bulk_load(buffer, source, kBytes, &full, hint);
  }

  SharedStorage<Instance>& shared_;
  const Parameters& p_;
  tile::RingPosition<Instance::kConfig.stages> k_at_;
  tile::RingPosition<Instance::kConfig.stages> v_at_;
  unsigned q_parity_ = 0;
  unsigned tile_parity_ = 0;
};

}  // namespace fa3prof::kernels::fa3_fp8
