// The order in which output tiles are done: it keeps K and V in L2 and, with a causal mask, does
// the longest tiles first. Plain C++, for host and device alike.
#pragma once

#include "kernels/tile/divisor.h"
#include "src/core/attention_problem.h"

namespace fa3prof::kernels::tile {

struct TileOrder {
  Divisor row_blocks;  ///< tiles along seqlen_q
  Divisor heads;
  int tiles;  ///< row_blocks * heads * batch
  /// Causal: sections of (head, batch) pairs whose K and V stay in L2 together, done longest tiles
  /// first. Else row blocks run fastest, so that neighbours share K and V.
  bool has_sections;
  int last_section;       ///< the number of the last one, which may be smaller
  Divisor section_tiles;  ///< of a section that is not the last
  Divisor section_pairs;  ///< of a section that is not the last
  Divisor last_section_pairs;
};

/// Throws UsageError when there are more tiles than a launch can number.
[[nodiscard]] TileOrder tile_order(const core::AttentionProblem& problem, int tile_m);

struct TilePosition {
  int row_block;
  int pair;  ///< batch * heads + head
};

/// Position of tile number `index`, 0 <= index < order.tiles.
/// Without sections: row block fastest, then head, then batch. With sections: section by section;
/// inside one, the last row block (the one that sees most keys) of every pair first.
[[nodiscard]] constexpr TilePosition position_of(const TileOrder& order, int index) {
  if (!order.has_sections) {
    const int pair = order.row_blocks.quotient(index);
    return {index - pair * order.row_blocks.value(), pair};
  }
  const int section = order.section_tiles.quotient(index);
  const int inside = index - section * order.section_tiles.value();
  const Divisor pairs =
      section == order.last_section ? order.last_section_pairs : order.section_pairs;
  const int rank = pairs.quotient(inside);
  return {order.row_blocks.value() - 1 - rank,
          section * order.section_pairs.value() + inside - rank * pairs.value()};
}

[[nodiscard]] constexpr int batch_of(const TileOrder& order, int pair) {
  return order.heads.quotient(pair);
}

[[nodiscard]] constexpr int head_of(const TileOrder& order, int pair) {
  return pair - batch_of(order, pair) * order.heads.value();
}

}  // namespace fa3prof::kernels::tile
