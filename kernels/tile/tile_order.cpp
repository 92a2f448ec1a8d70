#include "kernels/tile/tile_order.h"

#include "src/core/error.h"

#include <algorithm>
#include <limits>
#include <string>

namespace fa3prof::kernels::tile {
namespace {

/// K and V of a section take about half of the L2 of a Hopper GPU.
constexpr std::int64_t kSectionBytes = 32 << 20;

/// Persistent kernels number tiles up to one grid beyond the last.
constexpr std::int64_t kMaxTiles = std::numeric_limits<int>::max() / 2;

/// (head, batch) pairs of a section.
std::int64_t section_pairs(const core::AttentionProblem& problem) {
  const std::int64_t head_bytes =
      2 * problem.seqlen_kv * problem.head_dim * core::element_bytes(problem.dtype);
  const std::int64_t kv_heads = std::max<std::int64_t>(1, kSectionBytes / head_bytes);
  const std::int64_t heads = kv_heads * (problem.num_heads / problem.num_heads_kv);
  return std::min(heads, problem.batch * problem.num_heads);
}

}  // namespace

TileOrder tile_order(const core::AttentionProblem& problem, int tile_m) {
  const std::int64_t row_blocks = (problem.seqlen_q + tile_m - 1) / tile_m;
  const std::int64_t tiles = row_blocks * problem.num_heads * problem.batch;
  if (tiles > kMaxTiles) {
    throw core::UsageError(std::to_string(tiles) +
                           " output tiles are more than one launch can number; use fewer batches");
  }
  const auto divisor = [](std::int64_t value) { return Divisor(static_cast<int>(value)); };
  const std::int64_t pairs = problem.num_heads * problem.batch;
  const std::int64_t together = section_pairs(problem);
  const std::int64_t last_section = (pairs - 1) / together;
  return {.row_blocks = divisor(row_blocks),
          .heads = divisor(problem.num_heads),
          .tiles = static_cast<int>(tiles),
          .has_sections = problem.is_causal,
          .last_section = static_cast<int>(last_section),
          .section_tiles = divisor(together * row_blocks),
          .section_pairs = divisor(together),
          .last_section_pairs = divisor(pairs - last_section * together)};
}

}  // namespace fa3prof::kernels::tile
