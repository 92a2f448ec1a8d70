// What a CTA of the FA3-style kernel for e4m3 shares and is told: shared memory, named barriers,
// launch parameters, and the work behind a tile number.
#pragma once

#include "kernels/attention.h"
#include "kernels/fa3_fp8/config.h"
#include "kernels/tile/scheduler.cuh"

#include <cstdint>

namespace fa3prof::kernels::fa3_fp8 {

constexpr int kWarpgroupThreads = 128;
constexpr int kWarpgroupRows = 64;
constexpr int kMmaK = 32;  // K of one WGMMA

template <typename Instance>
struct SharedStorage {
  static constexpr int kConsumers = Instance::kConfig.consumer_warpgroups;
  static constexpr int kStages = Instance::kConfig.stages;
  static constexpr int kQBytes = kWarpgroupRows * Instance::kConfig.head_dim;
  static constexpr int kKvBytes = Instance::kConfig.tile_n * Instance::kConfig.head_dim;

  alignas(1024) std::uint8_t q[kConsumers][kQBytes];
  alignas(1024) std::uint8_t k[kStages][kKvBytes];
  alignas(1024) std::uint8_t v[kStages][kKvBytes];
  std::uint64_t q_full[kConsumers];
  std::uint64_t q_empty[kConsumers];
  std::uint64_t k_full[kStages];
  std::uint64_t k_empty[kStages];
  std::uint64_t v_full[kStages];
  std::uint64_t v_empty[kStages];
  std::uint64_t tile_full;
  std::uint64_t tile_empty;
  int next_tile;
};

/// Hardware barrier numbers, each with one for every consumer warpgroup; 0 is __syncthreads.
enum class NamedBarrier : int { kTurn = 1, kTogether = 4 };

struct Parameters {
  QuantizedTensors inputs;
  std::uint16_t* o;
  float* lse;  ///< [batch, heads, seqlen_q]
  Strides o_strides;
  int seqlen_q;
  int seqlen_kv;
  int query_rows;    ///< of Q in memory: seqlen_q up to the next whole tile
  int query_scales;  ///< of a head
  int key_blocks;    ///< of a head
  tile::Divisor heads_per_kv_head;
  int heads_kv;
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

/// batch * heads_kv + kv_head of the keys that a (batch, head) pair sees.
__device__ __forceinline__ int kv_pair_of(const Parameters& p, int pair) {
  const int head = tile::head_of(p.order, pair);
  return tile::batch_of(p.order, pair) * p.heads_kv + p.heads_per_kv_head.quotient(head);
}

}  // namespace fa3prof::kernels::fa3_fp8
