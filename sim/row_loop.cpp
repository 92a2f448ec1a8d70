#include "sim/row_loop.h"

#include <algorithm>
#include <numeric>
#include <variant>

namespace fa3prof::sim {
namespace {

std::int64_t row_tiles(const core::AttentionProblem& problem, const core::Tile& tile) {
  return (problem.seqlen_q + tile.m - 1) / tile.m;
}

/// The first row that sees `keys` keys, which may lie before the first row or after the last one.
std::int64_t first_row_seeing(const core::AttentionProblem& problem, std::int64_t keys) {
  if (problem.is_causal) return keys - 1 + problem.seqlen_q - problem.seqlen_kv;
  return keys <= problem.seqlen_kv ? 0 : problem.seqlen_q;
}

std::int64_t first_tile(const core::AttentionProblem& problem, const core::Tile& tile,
                        std::int64_t key_block) {
  return std::max<std::int64_t>(0, first_row_seeing(problem, key_block * tile.n + 1)) / tile.m;
}

/// Of all steps of a loop that are loads, or stores.
template <typename Action>
double loop_bytes(const Pipeline& pipeline, const SizeScope& scope) {
  double bytes = 0.0;
  for (const Role& role : pipeline.roles) {
    for (const Step& step : role.steps(Section::kLoop)) {
      const auto* action = std::get_if<Action>(&step.action);
      if (action != nullptr) bytes += role.instances * action->bytes.value(scope);
    }
  }
  return bytes;
}

void mark(Pipeline& pipeline, Section section) {
  for (Role& role : pipeline.roles) {
    for (Step& step : role.sections[static_cast<std::size_t>(section)]) {
      if (auto* load = std::get_if<Load>(&step.action)) load->is_from_memory = true;
    }
  }
}

bool loop_misses(const Pipeline& pipeline) {
  return std::ranges::any_of(pipeline.roles, [](const Role& role) {
    return std::ranges::any_of(role.steps(Section::kLoop), [](const Step& step) {
      const auto* load = std::get_if<Load>(&step.action);
      return load != nullptr && load->is_from_memory;
    });
  });
}

}  // namespace

std::vector<std::int64_t> row_trips(const core::AttentionProblem& problem, const core::Tile& tile) {
  std::vector<std::int64_t> trips;
  for (std::int64_t block = 0; block * tile.n < problem.seqlen_kv; ++block) {
    trips.push_back(row_tiles(problem, tile) - first_tile(problem, tile, block));
  }
  return trips;
}

TileKind key_block_kind(const Pipeline& pipeline, const TileSizes& sizes,
                        const core::AttentionProblem& problem, std::int64_t key_block) {
  const std::int64_t first = first_tile(problem, sizes.tile, key_block);
  // From this row on all keys of the block are seen.
  const std::int64_t whole = std::clamp<std::int64_t>(
      first_row_seeing(problem, (key_block + 1) * sizes.tile.n), 0, problem.seqlen_q);
  const std::int64_t trips = row_tiles(problem, sizes.tile) - first;
  const std::int64_t masked = (whole + sizes.tile.m - 1) / sizes.tile.m - first;
  const TileWork work{.trips = trips, .masked = std::clamp<std::int64_t>(masked, 0, trips)};
  TileKind kind;
  for (const Role& role : pipeline.roles) {
    kind.works.insert(kind.works.end(), static_cast<std::size_t>(role.instances), work);
  }
  return kind;
}

void find_misses(const Machine& machine, const core::AttentionProblem& problem,
                 const TileSizes& sizes, Pipeline& pipeline) {
  if (!pipeline.loops_over_rows) return;
  mark(pipeline, Section::kPrologue);
  const Machine::Number l2 =
      machine.l2_effective_bytes ? machine.l2_effective_bytes : machine.l2_bytes;
  if (!l2) return;
  const std::int64_t at_once =
      std::min(problem.batch * problem.num_heads, machine.sm_count * pipeline.ctas_per_sm);
  const double bytes = static_cast<double>(at_once * row_tiles(problem, sizes.tile)) *
                       loop_bytes<Load>(pipeline, sizes.scope);
  if (bytes > *l2) mark(pipeline, Section::kLoop);
}

double missed_bytes(const Pipeline& pipeline, const core::AttentionProblem& problem,
                    const core::Tile& tile) {
  if (!loop_misses(pipeline)) return 0.0;
  const SizeScope scope = tile_sizes(pipeline, problem).scope;
  const std::vector<std::int64_t> trips = row_trips(problem, tile);
  const auto of_head =
      static_cast<double>(std::accumulate(trips.begin(), trips.end(), std::int64_t{0}));
  return static_cast<double>(problem.batch * problem.num_heads) * of_head *
         (loop_bytes<Load>(pipeline, scope) + loop_bytes<Store>(pipeline, scope));
}

}  // namespace fa3prof::sim
