#include "sim/tile_sequence.h"

#include <algorithm>

namespace fa3prof::sim {

TileSequence::TileSequence(const Pipeline& pipeline, const core::AttentionProblem& problem,
                           std::int64_t row_blocks)
    : row_blocks_(row_blocks),
      heads_(problem.batch * problem.num_heads),
      tiles_(row_blocks * problem.batch * problem.num_heads) {
  if (!pipeline.is_longest_first || !problem.is_causal) return;
  section_heads_ = heads_;
  if (pipeline.section_bytes == 0.0) return;
  const double head_bytes =
      2.0 * static_cast<double>(problem.seqlen_kv) *
      static_cast<double>(problem.head_dim * core::element_bytes(problem.dtype));
  const double kv_heads =
      std::clamp(pipeline.section_bytes / head_bytes, 1.0, static_cast<double>(heads_));
  const std::int64_t group = problem.num_heads / problem.num_heads_kv;
  section_heads_ = std::min(heads_, static_cast<std::int64_t>(kv_heads) * group);
}

double TileSequence::first_fetch_ratio(std::int64_t row_block, std::int64_t at_once) const {
  const std::int64_t rank = section_heads_ == 0 ? row_block : row_blocks_ - 1 - row_block;
  const std::int64_t heads = section_heads_ == 0 ? 1 : section_heads_;
  const std::int64_t together = std::clamp<std::int64_t>(at_once / heads, 1, row_blocks_);
  return rank < together ? 1.0 / static_cast<double>(together) : 0.0;
}

std::int64_t TileSequence::draw() {
  const std::int64_t index = drawn_++;
  if (section_heads_ == 0) return index % row_blocks_;
  const std::int64_t section = index / (section_heads_ * row_blocks_);
  const std::int64_t first_head = section * section_heads_;
  const std::int64_t heads = std::min(section_heads_, heads_ - first_head);
  const std::int64_t rank = (index - first_head * row_blocks_) / heads;
  return row_blocks_ - 1 - rank;
}

}  // namespace fa3prof::sim
