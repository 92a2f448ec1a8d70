// Tiles of known cost on the SMs: each takes the next one of the kernel's order when it is free.
#pragma once

#include "sim/breakdown.h"
#include "sim/pipeline.h"
#include "sim/tile_costs.h"
#include "src/core/attention_problem.h"

#include <cstdint>
#include <functional>

namespace fa3prof::sim {

/// How a chip's time is spent.
struct PlacedTiles {
  std::int64_t tiles = 0;
  double makespan_cycles = 0.0;
  Breakdown mean;  ///< over the SMs, the tail included: sums to the makespan
};

/// Cost of the tile of a row block while `slots` CTAs share the SM; null where it sees no key.
using CostOf = std::function<const TileCost*(std::int64_t row_block, std::size_t slots)>;

struct PlacementRequest {
  const Pipeline& pipeline;
  const core::AttentionProblem& problem;
  std::int64_t row_blocks = 0;
  std::int64_t sm_count = 1;
};

/// Tiles in the pipeline's order. Persistent CTAs draw them when they are free, or take those that
/// are theirs by number; others are launched to whoever is free first.
[[nodiscard]] PlacedTiles place_tiles(const PlacementRequest& request, const CostOf& cost_of);

}  // namespace fa3prof::sim
