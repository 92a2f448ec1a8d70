// What a CTA of the FA2-style kernel shares and is told: shared memory and launch parameters.
#pragma once

#include "kernels/attention.h"
#include "kernels/fa2/config.h"
#include "kernels/ptx/mma.cuh"
#include "kernels/tile/scheduler.cuh"
#include "kernels/tile/swizzled_rows.cuh"
#include "kernels/tile/visible_keys.cuh"

#include <cstdint>

namespace fa3prof::kernels::fa2 {

using ptx::kMmaK;
using ptx::kMmaM;
using tile::kBlockColumns;
using tile::kChunkElements;
using tile::kRowBytes;
using tile::visible_keys;

using Bits = std::uint16_t;  // an element of Q, K, V or O where only its size matters

template <typename Instance>
struct SharedStorage {
  static constexpr Config kConfig = Instance::kConfig;

  alignas(1024) Bits q[kConfig.tile_m * kConfig.head_dim];
  alignas(1024) Bits k[kConfig.stages][kConfig.tile_n * kConfig.head_dim];
  alignas(1024) Bits v[kConfig.stages][kConfig.tile_n * kConfig.head_dim];
};

struct Parameters {
  AttentionTensors tensors;
  int seqlen_q;
  int seqlen_kv;
  tile::Divisor heads_per_kv_head;
  bool is_causal;
  float scale_log2;  ///< softmax_scale * log2(e)
  tile::TileOrder order;
};

}  // namespace fa3prof::kernels::fa2
