// What each output tile of a problem asks of the role instances of its CTA.
#pragma once

#include "sim/pipeline.h"
#include "sim/sm_state.h"
#include "src/core/attention_problem.h"

#include <cstdint>
#include <vector>

namespace fa3prof::sim {

/// The tile of row block `row_block`, which sees key blocks. An instance that owns `rows` passes by
/// the blocks that none of its rows sees, but always does one.
[[nodiscard]] TileKind tile_kind(const Pipeline& pipeline, const TileSizes& sizes,
                                 const core::AttentionProblem& problem, std::int64_t row_block);

/// Key blocks of it.
[[nodiscard]] std::int64_t key_blocks_of(const TileSizes& sizes,
                                         const core::AttentionProblem& problem,
                                         std::int64_t row_block);

}  // namespace fa3prof::sim
