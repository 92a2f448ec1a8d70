// Which output tile comes next: a persistent grid draws tile numbers from a counter in global
// memory, in an order that keeps K and V in L2 and, with a causal mask, does the longest tiles
// first.
#pragma once

#include "kernels/tile/tile_order.h"

#include <cstdint>

namespace fa3prof::kernels::tile {

struct TilePosition {
  int row_block;
  int head;
  int batch;
};

/// Position of tile number `index`, 0 <= index < order.tiles.
/// Without sections: row block fastest, then head, then batch, so that neighbours share K and V.
/// With sections: section by section of section_heads (head, batch) pairs; inside one, the last row
/// block (the one that sees most keys) of every head first.
__device__ __forceinline__ TilePosition position_of(const TileOrder& order, int index) {
  if (order.section_heads == 0) {
    const int pair = index / order.row_blocks;
    return {index - pair * order.row_blocks, pair % order.heads, pair / order.heads};
  }
  const int pairs = order.heads * order.batch;
  const int section = index / (order.section_heads * order.row_blocks);
  const int first_pair = section * order.section_heads;
  const int section_pairs = min(order.section_heads, pairs - first_pair);
  const int inside = index - first_pair * order.row_blocks;
  const int rank = inside / section_pairs;
  const int pair = first_pair + inside - rank * section_pairs;
  return {order.row_blocks - 1 - rank, pair % order.heads, pair / order.heads};
}

/// Draws the next tile after the first gridDim.x, which each CTA takes by its own number. Every
/// launch draws exactly order.tiles times (each CTA stops at its first number beyond the end), so
/// the counter wraps to zero by itself and the next launch finds it clean.
__device__ __forceinline__ int draw_tile(unsigned* counter, const TileOrder& order) {
  const unsigned last = static_cast<unsigned>(order.tiles) - 1U;
  return static_cast<int>(gridDim.x + atomicInc(counter, last));
}

}  // namespace fa3prof::kernels::tile
