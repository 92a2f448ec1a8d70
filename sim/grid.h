// Output tiles on the SMs of the chip: how many of which length, and when the last SM is done.
#pragma once

#include "src/core/attention_problem.h"

#include <cstdint>
#include <span>
#include <vector>

namespace fa3prof::sim {

/// Tiles that see the same number of key blocks.
struct TileGroup {
  std::int64_t key_blocks = 0;
  std::int64_t tiles = 0;
};

/// One group per row block, first rows first, for all heads and batch entries together; without a
/// causal mask a single group. Throws UsageError for more row blocks or tiles than can be counted.
[[nodiscard]] std::vector<TileGroup> tile_groups(const core::AttentionProblem& problem,
                                                 const core::Tile& tile);

/// Tiles of `cycles` each; a group of them.
struct TimedGroup {
  std::int64_t tiles = 0;
  double cycles = 0.0;
};

enum class TileOrder {
  kRowBlocksFastest,  ///< one tile of each group in turn, as a launch grid numbers them
  kGroupByGroup,      ///< all tiles of the first group, then the next: longest first
};

/// When the last SM ends if each takes the next tile as soon as it is free. Beyond some millions of
/// tiles the work divided by the SMs, which is then as good.
[[nodiscard]] double makespan_cycles(std::span<const TimedGroup> groups, TileOrder order,
                                     std::int64_t sm_count);

}  // namespace fa3prof::sim
