// What the FA3-style kernels for 16-bit inputs and for e4m3 are told alike: launch parameters,
// named barriers, and the work behind a tile number.
#pragma once

#include "kernels/attention.h"
#include "kernels/tile/scheduler.cuh"

#include <cstdint>

namespace fa3prof::kernels::fa3 {

constexpr int kWarpgroupThreads = 128;
constexpr int kWarpgroupRows = 64;

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

}  // namespace fa3prof::kernels::fa3
