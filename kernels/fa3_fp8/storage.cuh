// What a CTA of the FA3-style kernel for e4m3 shares and is told.
#pragma once

#include "kernels/fa3/buffers.cuh"
#include "kernels/fa3/tile_work.cuh"
#include "kernels/fa3_fp8/config.h"

#include <cstdint>

namespace fa3prof::kernels::fa3_fp8 {

using fa3::kWarpgroupRows;
using fa3::Work;

constexpr int kMmaK = 32;  // K of one WGMMA

struct NothingOwn {};

template <typename Instance>
using SharedStorage =
    fa3::Buffers<Instance, std::uint8_t, NothingOwn, Instance::kConfig.value_channels()>;

struct Parameters : fa3::Parameters {
  QuantizedTensors inputs;
  int query_rows;    ///< of Q in memory: seqlen_q up to the next whole tile
  int query_scales;  ///< of a head
  int key_blocks;    ///< of a head
  int heads_kv;
};

/// batch * heads_kv + kv_head of the keys that a (batch, head) pair sees.
__device__ __forceinline__ int kv_pair_of(const Parameters& p, int pair) {
  const int head = tile::head_of(p.order, pair);
  return tile::batch_of(p.order, pair) * p.heads_kv + p.heads_per_kv_head.quotient(head);
}

}  // namespace fa3prof::kernels::fa3_fp8
