// The producer thread of the FA3-style kernel: all loads by TMA, and the tile numbers.
#pragma once

#include "kernels/fa3_fp16/storage.cuh"
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/ptx/tma.cuh"
#include "kernels/tile/ring.cuh"

#include <cstdint>

namespace fa3prof::kernels::fa3_fp16 {

/// The producer thread: tile numbers, Q once a tile, K one block ahead of V.
template <typename Instance>
__device__ __forceinline__ void produce(SharedStorage<Instance>& shared, const Parameters& p,
                                        const CUtensorMap& q_map, const CUtensorMap& k_map,
                                        const CUtensorMap& v_map) {
  constexpr unsigned kQBytes = sizeof(shared.q);
  constexpr unsigned kKvBytes = sizeof(shared.k[0]);
  tile::RingPosition<Instance::kConfig.stages> k_at;
  tile::RingPosition<Instance::kConfig.stages> v_at;
  unsigned q_parity = 0;
  unsigned tile_parity = 0;

  for (int tile_index = blockIdx.x; tile_index < p.order.tiles;) {
    const Work work = work_of<Instance>(p, tile_index);
    const int kv_head = work.at.head / p.heads_per_kv_head;
    const auto load_block = [&](auto& buffers, std::uint64_t* full, std::uint64_t* empty,
                                const CUtensorMap& map, auto& at, int block) {
      // A fresh ring is empty: waiting for the parity before the first passes at once.
      ptx::mbarrier_wait(&empty[at.stage], at.parity ^ 1U);
      ptx::mbarrier_arrive_expect_tx(&full[at.stage], kKvBytes);
      ptx::tma_load_tile(buffers[at.stage], &map,
                         {block * Instance::kConfig.tile_n, kv_head, work.at.batch},
                         &full[at.stage], ptx::CacheHint::kEvictLast);
      at.advance();
    };
    const auto load_k = [&](int block) {
      load_block(shared.k, shared.k_full, shared.k_empty, k_map, k_at, block);
    };
    const auto load_v = [&](int block) {
      load_block(shared.v, shared.v_full, shared.v_empty, v_map, v_at, block);
    };

    const int drawn_tile = tile::draw_tile(p.tile_counter, p.order);
    if (work.key_blocks > 0) {
      load_k(work.key_blocks - 1);
      ptx::mbarrier_wait(&shared.q_empty, q_parity ^ 1U);
      ptx::mbarrier_arrive_expect_tx(&shared.q_full, kQBytes);
      ptx::tma_load_tile(shared.q, &q_map, {work.first_row, work.at.head, work.at.batch},
                         &shared.q_full, ptx::CacheHint::kEvictFirst);
      q_parity ^= 1U;
      for (int block = work.key_blocks - 1; block > 0; --block) {
        load_k(block - 1);
        load_v(block);
      }
      load_v(0);
    }

    ptx::mbarrier_wait(&shared.tile_empty, tile_parity ^ 1U);
    shared.next_tile = drawn_tile;
    ptx::mbarrier_arrive(&shared.tile_full);
    tile_parity ^= 1U;
    tile_index = drawn_tile;
  }
}

}  // namespace fa3prof::kernels::fa3_fp16
