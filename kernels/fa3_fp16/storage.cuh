// What a CTA of the FA3-style kernel for 16-bit inputs shares.
#pragma once

#include "kernels/fa3/buffers.cuh"
#include "kernels/fa3/tile_work.cuh"
#include "kernels/fa3_fp16/config.h"

#include <cstdint>

namespace fa3prof::kernels::fa3_fp16 {

using fa3::kWarpgroupRows;
using fa3::Parameters;
using fa3::Work;
using fa3::work_of;

constexpr int kSwizzleColumns = 64;  // columns of one 128-byte swizzled block
constexpr int kMmaK = 16;            // K of one WGMMA

/// A block of keys on the way through all tiles of a CTA.
struct KeyBlock {
  int tile;
  int kv_head;
  int batch;
  int block;  ///< within the tile; -1 behind the last tile
};

/// Where no producer loads: warpgroups that have read the buffer in this round, and what each
/// warpgroup would load next.
template <typename Instance>
struct OwnLoads {
  unsigned k_reads[Instance::kConfig.stages];
  unsigned v_reads[Instance::kConfig.stages];
  KeyBlock next_k[Instance::kConfig.consumer_warpgroups];
  KeyBlock next_v[Instance::kConfig.consumer_warpgroups];
};

template <typename Instance>
using SharedStorage = fa3::Buffers<Instance, std::uint16_t, OwnLoads<Instance>>;

}  // namespace fa3prof::kernels::fa3_fp16
