// Kernels whose loop goes over query rows (Pipeline::loops_over_rows): a CTA owns a head and does
// its key blocks one after the other, each of them a tile.
#pragma once

#include "sim/machine.h"
#include "sim/pipeline.h"
#include "sim/sm_state.h"
#include "src/core/attention_problem.h"

#include <cstdint>
#include <vector>

namespace fa3prof::sim {

/// By key block, the first one first: tiles of query rows of which some row sees some of its keys.
/// Their sum is that of the key blocks that the tiles of rows see.
[[nodiscard]] std::vector<std::int64_t> row_trips(const core::AttentionProblem& problem,
                                                  const core::Tile& tile);

/// What key block `key_block` asks of the role instances.
[[nodiscard]] TileKind key_block_kind(const Pipeline& pipeline, const TileSizes& sizes,
                                      const core::AttentionProblem& problem,
                                      std::int64_t key_block);

/// Marks the loads that miss L2: those of the prologue, since a CTA reads a key block once, and
/// those of the loop where all that the loops of the running CTAs go round over does not stay in
/// L2. Leaves other pipelines as they are.
void find_misses(const Machine& machine, const core::AttentionProblem& problem,
                 const TileSizes& sizes, Pipeline& pipeline);

/// Bytes that the loops of all heads read and write past L2, after find_misses(). Reads and writes
/// of each trip alike: that a CTA's first key block reads no state and its last writes less is left
/// out.
[[nodiscard]] double missed_bytes(const Pipeline& pipeline, const core::AttentionProblem& problem,
                                  const core::Tile& tile);

}  // namespace fa3prof::sim
