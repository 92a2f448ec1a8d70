// What a CTA of the FA2-style kernel shares and is told: shared memory, launch parameters, and the
// keys that a query row sees.
#pragma once

#include "kernels/attention.h"
#include "kernels/fa2/config.h"
#include "kernels/tile/scheduler.cuh"
#include "kernels/tile/swizzled_rows.cuh"

#include <cstdint>

namespace fa3prof::kernels::fa2 {

using tile::kBlockColumns;
using tile::kChunkElements;
using tile::kRowBytes;

constexpr int kMmaM = 16;
constexpr int kMmaK = 16;

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

/// Keys that query row `row` sees, counted from key 0.
__device__ __forceinline__ int visible_keys(const Parameters& p, std::int64_t row) {
  if (!p.is_causal) return p.seqlen_kv;
  const std::int64_t visible = row + 1 + p.seqlen_kv - p.seqlen_q;
  return static_cast<int>(max(std::int64_t{0}, min(visible, std::int64_t{p.seqlen_kv})));
}

}  // namespace fa3prof::kernels::fa2
