// TMA tensor maps for attention operands, encoded without linking the driver library.
#pragma once

#include "kernels/attention.h"

#include <cuda.h>

#include <cstdint>

namespace fa3prof::kernels {

/// A [batch, seqlen, heads, head_dim] operand of 2-byte elements and the tile read from it at once.
struct TileGeometry {
  const void* base = nullptr;
  Strides strides;
  std::int64_t batch = 0;
  std::int64_t seqlen = 0;
  std::int64_t heads = 0;
  std::int64_t head_dim = 0;  ///< multiple of 64
  int tile_rows = 0;          ///< 1..256
};

/// Map whose box is one tile: coordinates {0, row, 0, head, batch} bring tile_rows x head_dim
/// elements into shared memory as head_dim / 64 blocks of [tile_rows][128 bytes] with the 128-byte
/// swizzle, the layout WGMMA reads. Rows beyond seqlen arrive as zeros; the byte count is that of
/// the whole box all the same. Throws DeviceError if the driver refuses the geometry.
[[nodiscard]] CUtensorMap make_tile_map(const TileGeometry& geometry);

}  // namespace fa3prof::kernels
