// Which output tile comes next: a persistent grid draws tile numbers from a counter in global
// memory.
#pragma once

#include "kernels/tile/tile_order.h"

namespace fa3prof::kernels::tile {

/// Draws the next tile after the first gridDim.x, which each CTA takes by its own number. Every
/// launch draws exactly order.tiles times (each CTA stops at its first number beyond the end), so
/// the counter wraps to zero by itself and the next launch finds it clean.
__device__ __forceinline__ int draw_tile(unsigned* counter, const TileOrder& order) {
  const unsigned last = static_cast<unsigned>(order.tiles) - 1U;
  return static_cast<int>(gridDim.x + atomicInc(counter, last));
}

}  // namespace fa3prof::kernels::tile
