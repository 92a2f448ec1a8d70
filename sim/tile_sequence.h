// The order in which a kernel does its tiles.
#pragma once

#include "sim/pipeline.h"
#include "src/core/attention_problem.h"

#include <cstdint>

namespace fa3prof::sim {

/// Yields the row blocks of all tiles in turn. Causal and longest first: section by section of
/// heads, in each the last row block of every head first. Else row blocks run fastest.
class TileSequence {
 public:
  TileSequence(const Pipeline& pipeline, const core::AttentionProblem& problem,
               std::int64_t row_blocks);

  [[nodiscard]] bool is_over() const { return drawn_ == tiles_; }

  [[nodiscard]] std::int64_t tiles() const { return tiles_; }

  /// Share of the K and V bytes of a tile of this row block that no tile has read before, split
  /// evenly among the tiles of the head that are read at the same time, `at_once` of all heads.
  [[nodiscard]] double first_fetch_ratio(std::int64_t row_block, std::int64_t at_once) const;

  /// The next row block. There must be one.
  [[nodiscard]] std::int64_t draw();

 private:
  std::int64_t row_blocks_;
  std::int64_t heads_;
  std::int64_t section_heads_ = 0;  ///< 0: row blocks run fastest
  std::int64_t tiles_;
  std::int64_t drawn_ = 0;
};

}  // namespace fa3prof::sim
