#include "sim/grid.h"

#include "src/core/error.h"

#include <algorithm>
#include <functional>

namespace fa3prof::sim {
namespace {

constexpr std::int64_t kMostScheduledTiles = 1 << 22;
constexpr std::int64_t kMostRowBlocks = 1 << 24;
constexpr double kMostTiles = 1e15;  // a double counts them exactly

/// The SMs, ordered by when each becomes free (a heap, the earliest at the front).
class FreeTimes {
 public:
  explicit FreeTimes(std::int64_t sm_count) : times_(static_cast<std::size_t>(sm_count)) {}

  void take(double cycles) {
    std::ranges::pop_heap(times_, std::greater{});
    times_.back() += cycles;
    latest_ = std::max(latest_, times_.back());
    std::ranges::push_heap(times_, std::greater{});
  }

  [[nodiscard]] double latest() const { return latest_; }

 private:
  std::vector<double> times_;
  double latest_ = 0.0;
};

}  // namespace

std::vector<TileGroup> tile_groups(const core::AttentionProblem& problem, const core::Tile& tile) {
  const std::int64_t row_blocks = (problem.seqlen_q + tile.m - 1) / tile.m;
  const std::int64_t heads = problem.batch * problem.num_heads;
  if (row_blocks > kMostRowBlocks ||
      static_cast<double>(row_blocks) * static_cast<double>(heads) > kMostTiles) {
    throw core::UsageError("too many output tiles for " + core::describe(problem) +
                           ": use a smaller problem or a larger tile_m");
  }
  if (!problem.is_causal) {
    return {{.key_blocks = core::key_blocks(problem, problem.seqlen_q, tile.n),
             .tiles = row_blocks * heads}};
  }
  std::vector<TileGroup> groups;
  groups.reserve(static_cast<std::size_t>(row_blocks));
  for (std::int64_t block = 0; block < row_blocks; ++block) {
    groups.push_back(
        {.key_blocks = core::key_blocks(problem, (block + 1) * tile.m, tile.n), .tiles = heads});
  }
  return groups;
}

double makespan_cycles(std::span<const TimedGroup> groups, TileOrder order, std::int64_t sm_count) {
  std::int64_t tiles = 0;
  double work_cycles = 0.0;
  for (const TimedGroup& group : groups) {
    tiles += group.tiles;
    work_cycles += static_cast<double>(group.tiles) * group.cycles;
  }
  if (tiles > kMostScheduledTiles) return work_cycles / static_cast<double>(sm_count);

  FreeTimes sms(sm_count);
  if (order == TileOrder::kGroupByGroup) {
    for (const TimedGroup& group : groups) {
      for (std::int64_t i = 0; i < group.tiles; ++i) sms.take(group.cycles);
    }
    return sms.latest();
  }
  const auto most = std::ranges::max_element(groups, {}, &TimedGroup::tiles);
  for (std::int64_t i = 0; most != groups.end() && i < most->tiles; ++i) {
    for (const TimedGroup& group : groups) {
      if (i < group.tiles) sms.take(group.cycles);
    }
  }
  return sms.latest();
}

}  // namespace fa3prof::sim
