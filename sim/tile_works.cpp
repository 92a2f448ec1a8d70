#include "sim/tile_works.h"

#include <algorithm>

namespace fa3prof::sim {
namespace {

/// Keys that rows up to and without `end_row` see together.
std::int64_t visible_keys(const core::AttentionProblem& problem, std::int64_t end_row) {
  if (!problem.is_causal) return problem.seqlen_kv;
  const std::int64_t row = std::min(end_row, problem.seqlen_q);
  return std::clamp<std::int64_t>(row + problem.seqlen_kv - problem.seqlen_q, 0, problem.seqlen_kv);
}

TileWork work_of(const core::AttentionProblem& problem, const core::Tile& tile,
                 std::int64_t first_row, std::int64_t end_row, std::int64_t tile_blocks) {
  const std::int64_t seen = std::max<std::int64_t>(1, visible_keys(problem, end_row));
  const std::int64_t own = std::min(tile_blocks, (seen + tile.n - 1) / tile.n);
  const std::int64_t whole = visible_keys(problem, first_row + 1) / tile.n;
  return {
      .trips = own, .hidden = tile_blocks - own, .masked = std::max<std::int64_t>(0, own - whole)};
}

}  // namespace

std::int64_t key_blocks_of(const TileSizes& sizes, const core::AttentionProblem& problem,
                           std::int64_t row_block) {
  return core::key_blocks(problem, (row_block + 1) * sizes.tile.m, sizes.tile.n);
}

TileKind tile_kind(const Pipeline& pipeline, const TileSizes& sizes,
                   const core::AttentionProblem& problem, std::int64_t row_block) {
  const std::int64_t blocks = key_blocks_of(sizes, problem, row_block);
  const std::int64_t first_row = row_block * sizes.tile.m;
  TileKind kind;
  for (const Role& role : pipeline.roles) {
    const auto rows = static_cast<std::int64_t>(role.rows.value(sizes.scope));
    for (int i = 0; i < role.instances; ++i) {
      const std::int64_t first = first_row + i * rows;
      const std::int64_t end = rows == 0 ? first_row + sizes.tile.m : first + rows;
      TileWork work = work_of(problem, sizes.tile, first, end, blocks);
      work.trips = std::max<std::int64_t>(0, work.trips - pipeline.peeled_blocks);
      kind.works.push_back(work);
    }
  }
  return kind;
}

}  // namespace fa3prof::sim
