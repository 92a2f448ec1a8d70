// What a CTA of the FA3-style kernel shares and is told: shared memory, named barriers, launch
// parameters, and the work behind a tile number.
#pragma once

#include "kernels/attention.h"
#include "kernels/fa3_fp16/config.h"
#include "kernels/tile/scheduler.cuh"

#include <cstdint>

namespace fa3prof::kernels::fa3_fp16 {

constexpr int kWarpgroupThreads = 128;
constexpr int kWarpgroupRows = 64;
constexpr int kSwizzleColumns = 64;  // columns of one 128-byte swizzled block
constexpr int kMmaK = 16;            // K of one WGMMA

/// A block of keys on the way through all tiles of a CTA.
struct KeyBlock {
  int tile;
  int kv_head;
  int batch;
  int block;  ///< within the tile; -1 behind the last tile
};

template <typename Instance>
struct SharedStorage {
  static constexpr int kConsumers = Instance::kConfig.consumer_warpgroups;
  static constexpr int kQElements = kWarpgroupRows * Instance::kConfig.head_dim;
  static constexpr int kKvElements = Instance::kConfig.tile_n * Instance::kConfig.head_dim;

  alignas(1024) std::uint16_t q[kConsumers][kQElements];
  alignas(1024) std::uint16_t k[Instance::kConfig.stages][kKvElements];
  alignas(1024) std::uint16_t v[Instance::kConfig.stages][kKvElements];
  std::uint64_t q_full[kConsumers];
  std::uint64_t q_empty[kConsumers];
  std::uint64_t k_full[Instance::kConfig.stages];
  std::uint64_t k_empty[Instance::kConfig.stages];
  std::uint64_t v_full[Instance::kConfig.stages];
  std::uint64_t v_empty[Instance::kConfig.stages];
  std::uint64_t tile_full;
  std::uint64_t tile_empty;
  int next_tile;
  // Where no producer loads: warpgroups that have read the buffer in this round, and what each
  // warpgroup would load next.
  unsigned k_reads[Instance::kConfig.stages];
  unsigned v_reads[Instance::kConfig.stages];
  KeyBlock next_k[kConsumers];
  KeyBlock next_v[kConsumers];
};

/// Hardware barrier numbers, each with one for every consumer warpgroup; 0 is __syncthreads.
enum class NamedBarrier : int { kTurn = 1, kTogether = 4 };

struct Parameters {
  std::uint16_t* o;
  float* lse;  ///< [batch, heads, seqlen_q]
  Strides o_strides;
  int seqlen_q;
  int seqlen_kv;
  tile::Divisor heads_per_kv_head;
  float scale_log2;  ///< softmax_scale * log2(e)
  tile::TileOrder order;
  unsigned* tile_counter;
};

/// A tile of output and the key blocks it needs.
struct Work {
  int pair;  ///< batch * heads + head: one register where two would stay live
  int first_row;
  int key_blocks;
};

template <typename Instance>
__device__ __forceinline__ Work work_of(const Parameters& p, int tile_index) {
  const tile::TilePosition at = tile::position_of(p.order, tile_index);
  const int first_row = at.row_block * Instance::kConfig.tile_m;
  int visible = p.seqlen_kv;
  if constexpr (Instance::kIsCausal) {
    const int end_row = min(first_row + Instance::kConfig.tile_m, p.seqlen_q);
    visible = min(visible, max(0, end_row + p.seqlen_kv - p.seqlen_q));
  }
  return {at.pair, first_row, (visible + Instance::kConfig.tile_n - 1) / Instance::kConfig.tile_n};
}

}  // namespace fa3prof::kernels::fa3_fp16
