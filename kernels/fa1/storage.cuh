// What a CTA of the FA1-style kernel shares and is told: shared memory and launch parameters.
#pragma once

#include "kernels/attention.h"
#include "kernels/fa1/config.h"
#include "kernels/ptx/mma.cuh"
#include "kernels/tile/swizzled_rows.cuh"
#include "kernels/tile/visible_keys.cuh"

#include <cuda_fp16.h>

#include <cstdint>

namespace fa3prof::kernels::fa1 {

using ptx::kMmaK;
using ptx::kMmaM;
using tile::kBlockColumns;
using tile::kChunkElements;
using tile::kRowBytes;
using tile::visible_keys;

using Element = __half;  // of Q, K, V and O

template <typename Instance>
struct SharedStorage {
  static constexpr Config kConfig = Instance::kConfig;

  /// First a block of K, then of V, then what each warp has for O.
  union Exchange {
    Element keys[kConfig.tile_n * kConfig.head_dim];
    float partial[kConfig.warps][kConfig.tile_m][kConfig.partial_stride()];
  };

  alignas(kRowBytes) Exchange exchange;
  alignas(kRowBytes) Element q[kConfig.tile_m * kConfig.head_dim];
  alignas(16) float maximum[kConfig.tile_m][kConfig.warps];  ///< of each warp's raw scores
  alignas(16) float sum[kConfig.tile_m][kConfig.warps];      ///< of each warp's probabilities
};

struct Parameters {
  AttentionTensors tensors;
  int seqlen_q;
  int seqlen_kv;
  int num_heads;
  int heads_per_kv_head;
  bool is_causal;
  float scale_log2;  ///< softmax_scale * log2(e)
  int padded_rows;   ///< of a head's state
  float* output;     ///< [batch, heads, padded rows, head_dim]: O over the keys so far
  /// [batch, heads, padded rows]: scale_log2 times the largest score, and the sum relative to it.
  float2* row_state;
};

/// The first tile of query rows with one that sees key `key`.
__device__ __forceinline__ int first_tile(const Parameters& p, int key, int tile_m) {
  if (!p.is_causal) return 0;
  const std::int64_t row = std::int64_t{key} + p.seqlen_q - p.seqlen_kv;
  return static_cast<int>(max(std::int64_t{0}, row) / tile_m);
}

}  // namespace fa3prof::kernels::fa1
