// The stamps of a consumer warpgroup, key block by key block.
#pragma once

#include "src/core/stage_trace.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace fa3prof::analysis {

/// From waiting for K of one block to the next: the scores of that block, its softmax, and P V of
/// the block before. The first step of all has no P V, the last one nothing else.
struct Step {
  std::array<std::optional<std::int64_t>, core::kConsumerStages> at;  ///< cycles, by stage
  std::optional<std::int64_t> tile;  ///< number of the tile whose first block this is
  std::int64_t k_buffer = 0;
  std::int64_t v_buffer = 0;

  [[nodiscard]] const std::optional<std::int64_t>& operator[](core::Stage stage) const {
    return at[static_cast<std::size_t>(stage)];
  }

  /// When the first GEMM could be issued.
  [[nodiscard]] std::optional<std::int64_t> first_issue() const;

  /// Q K^T is issued before P V.
  [[nodiscard]] bool scores_come_first() const;
};

/// In order. Stamps before the first whole step, where older ones were dropped, are left out.
[[nodiscard]] std::vector<Step> steps_of(const core::RoleStamps& role);

/// One GEMM of a step: from the first instruction's issue to the moment when the role knew that it
/// was done, which may be later than it was.
struct Gemm {
  bool is_scores = false;
  std::int64_t issue_begin = 0;
  std::int64_t issue_end = 0;
  std::int64_t wait_begin = 0;
  std::int64_t done = 0;
};

/// The GEMMs of a step whose stamps are all there, in the order of issue.
[[nodiscard]] std::vector<Gemm> gemms_of(const Step& step);

/// What a role does between two stamps.
enum class Doing {
  kSoftmax,   ///< work between the GEMMs, loop control included
  kRamp,      ///< a tile's beginning and end
  kLoadWait,  ///< for K, V or Q
  kTurnWait,
  kIssue,  ///< of WGMMAs, which lasts as long as the tensor core takes them in
  kGemmWait,
};

struct Stretch {
  Doing doing = Doing::kRamp;
  core::Stage until = core::Stage::kTile;  ///< the stage whose stamp ends it
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// All of a consumer's time from `begin` to its last stamp, without a gap.
[[nodiscard]] std::vector<Stretch> stretches_of(const std::vector<Step>& steps, std::int64_t begin);

}  // namespace fa3prof::analysis
