#include "sim/grid.h"

#include "src/core/error.h"
#include "tests/catch.h"

namespace fa3prof::tests {

TEST_CASE("tile groups hold exactly the key blocks of the tile-padded FLOPs", "[sim]") {
  const core::Tile tile{128, 176};
  for (const bool is_causal : {false, true}) {
    for (const std::int64_t seqlen_q : {1, 127, 1000, 4224}) {
      const core::AttentionProblem problem{.batch = 2,
                                           .num_heads = 3,
                                           .num_heads_kv = 3,
                                           .seqlen_q = seqlen_q,
                                           .seqlen_kv = 2000,
                                           .head_dim = 64,
                                           .is_causal = is_causal};
      std::int64_t blocks = 0;
      for (const sim::TileGroup& group : sim::tile_groups(problem, tile)) {
        blocks += group.key_blocks * group.tiles;
      }
      CHECK(4.0 * 64 * 128 * 176 * static_cast<double>(blocks) ==
            core::flops_tile_padded(problem, tile));
    }
  }
}

TEST_CASE("a free SM takes the next tile", "[sim]") {
  using enum sim::TileOrder;
  const std::vector<sim::TimedGroup> longest_first{{2, 30.0}, {2, 20.0}, {2, 10.0}};
  CHECK(sim::makespan_cycles(longest_first, kGroupByGroup, 2) == 60.0);
  const std::vector<sim::TimedGroup> shortest_first{{1, 10.0}, {1, 20.0}, {1, 30.0}};
  CHECK(sim::makespan_cycles(shortest_first, kRowBlocksFastest, 2) == 40.0);
  CHECK(sim::makespan_cycles({}, kGroupByGroup, 2) == 0.0);
}

TEST_CASE("more tiles than can be counted are refused", "[sim]") {
  constexpr std::int64_t kLargest = 2147483647;
  core::AttentionProblem problem{.batch = kLargest, .num_heads = kLargest, .num_heads_kv = 1};
  problem.seqlen_q = kLargest;
  CHECK_THROWS_AS(sim::tile_groups(problem, {128, 128}), core::UsageError);
  problem.batch = problem.num_heads = 1;
  CHECK_THROWS_AS(sim::tile_groups(problem, {1, 128}), core::UsageError);
}

TEST_CASE("millions of tiles are shared out evenly without laying each", "[sim]") {
  const std::vector<sim::TimedGroup> groups{{1'000'000'000, 2.0}, {1'000'000'000, 1.0}};
  CHECK(sim::makespan_cycles(groups, sim::TileOrder::kGroupByGroup, 100) == 3e7);
}

}  // namespace fa3prof::tests
