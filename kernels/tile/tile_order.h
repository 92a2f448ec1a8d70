// The order in which output tiles are done, computed on the host. Plain C++.
#pragma once

#include "src/core/attention_problem.h"

#include <cstdint>

namespace fa3prof::kernels::tile {

struct TileOrder {
  int row_blocks;  ///< tiles along seqlen_q
  int heads;
  int batch;
  /// Causal: heads whose K and V stay in L2 together, done longest tiles first. 0: row blocks run
  /// fastest, so that neighbours share K and V.
  int section_heads;
  int tiles;  ///< row_blocks * heads * batch
};

/// Throws UsageError when there are more tiles than a launch can number.
[[nodiscard]] TileOrder tile_order(const core::AttentionProblem& problem, int tile_m);

}  // namespace fa3prof::kernels::tile
