// Which rows a sampled verification looks at: see choose_rows in verification.h.
#include "src/profile/verification.h"

#include <algorithm>
#include <array>

namespace fa3prof::profile {
namespace {

using numerics::RowIndex;

constexpr std::int64_t kSampledRows = 128;
constexpr std::int64_t kEdge = 64;  // all tile heights in use are multiples of it
constexpr double kGoldenRatio = 0.6180339887498949;

/// Query positions where kernels go wrong: ends, both sides of the tile edges near each end, and
/// the first row that sees a key.
std::vector<std::int64_t> critical_positions(const core::AttentionProblem& problem) {
  const std::int64_t last = problem.seqlen_q - 1;
  const std::int64_t last_edge = last / kEdge * kEdge;
  const std::int64_t first_seeing = problem.seqlen_q - problem.seqlen_kv;
  std::vector<std::int64_t> positions{0,
                                      last,
                                      last_edge,
                                      last_edge - 1,
                                      kEdge - 1,
                                      kEdge,
                                      2 * kEdge - 1,
                                      2 * kEdge,
                                      3 * kEdge - 1,
                                      3 * kEdge,
                                      problem.seqlen_q / 2,
                                      first_seeing - 1,
                                      first_seeing};
  std::erase_if(positions, [last](std::int64_t at) { return at < 0 || at > last; });
  std::ranges::sort(positions);
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  return positions;
}

/// Number `index` of the additive recurrence with the golden ratio, which spreads any count of
/// numbers evenly over 0..count-1.
std::int64_t spread(std::int64_t index, std::int64_t count) {
  const double turns = static_cast<double>(index) * kGoldenRatio;
  const double fraction = turns - static_cast<double>(static_cast<std::int64_t>(turns));
  return std::min(static_cast<std::int64_t>(fraction * static_cast<double>(count)), count - 1);
}

RowIndex row_at(const core::AttentionProblem& problem, std::int64_t index) {
  return {.batch = index / (problem.num_heads * problem.seqlen_q),
          .head = index / problem.seqlen_q % problem.num_heads,
          .row = index % problem.seqlen_q};
}

}  // namespace

std::vector<RowIndex> choose_rows(const core::AttentionProblem& problem, VerifyMode mode) {
  const std::int64_t total = problem.batch * problem.num_heads * problem.seqlen_q;
  std::vector<RowIndex> rows;
  if (mode == VerifyMode::kFull || total <= kSampledRows) {
    for (std::int64_t i = 0; i < total; ++i) rows.push_back(row_at(problem, i));
    return rows;
  }
  const std::array<RowIndex, 2> corners{
      RowIndex{.batch = 0, .head = 0},
      RowIndex{.batch = problem.batch - 1, .head = problem.num_heads - 1}};
  for (const std::int64_t position : critical_positions(problem)) {
    for (const RowIndex& corner : corners) {
      const RowIndex row{.batch = corner.batch, .head = corner.head, .row = position};
      if (std::ranges::find(rows, row) == rows.end()) rows.push_back(row);
    }
  }
  const auto missing = kSampledRows - static_cast<std::int64_t>(rows.size());
  for (std::int64_t i = 0; i < missing; ++i) {
    const RowIndex row = row_at(problem, spread(i + 1, total));
    if (std::ranges::find(rows, row) == rows.end()) rows.push_back(row);
  }
  return rows;
}

}  // namespace fa3prof::profile
