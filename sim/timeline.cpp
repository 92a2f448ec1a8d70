#include "sim/timeline.h"

#include "sim/closed_form.h"
#include "sim/event_program.h"
#include "sim/fit.h"
#include "sim/load_clock.h"
#include "sim/row_loop.h"
#include "sim/sm_run.h"
#include "sim/tile_sequence.h"
#include "sim/tile_works.h"
#include "sim/timeline_recorder.h"
#include "src/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <vector>

namespace fa3prof::sim {
namespace {

/// Which CTA of the chip draws which tile, by key blocks: whoever has done fewest is free first.
class Draws {
 public:
  Draws(const TimelineRequest& request, const Pipeline& pipeline, const TileSizes& sizes)
      : request_(request),
        pipeline_(pipeline),
        sizes_(sizes),
        row_blocks_((request.problem.seqlen_q + sizes.tile.m - 1) / sizes.tile.m),
        done_(static_cast<std::size_t>(request.machine.sm_count * pipeline.ctas_per_sm)) {}

  /// The tiles of the first SM's CTAs; each CTA's kinds live in `kinds`.
  [[nodiscard]] SmTiles first_sm(std::deque<TileKind>& kinds) {
    const auto slots = static_cast<std::size_t>(pipeline_.ctas_per_sm);
    TileSequence sequence(pipeline_, request_.problem, row_blocks_);
    SmTiles tiles(slots);
    if (pipeline_.loops_over_rows) return first_heads(kinds, std::move(tiles));
    const auto is_enough = [&] {
      return std::ranges::all_of(tiles, [&](const auto& of_slot) {
        return static_cast<std::int64_t>(of_slot.size()) >= request_.tiles;
      });
    };
    while (!sequence.is_over() && !is_enough()) {
      const std::int64_t row_block = sequence.draw();
      const std::int64_t blocks = key_blocks_of(sizes_, request_.problem, row_block);
      if (blocks == 0) continue;
      const auto cta = static_cast<std::size_t>(std::ranges::min_element(done_) - done_.begin());
      done_[cta] += blocks;
      // CTAs are dealt out SM by SM: the s-th of the first SM is s * sm_count.
      const std::size_t slot = cta / static_cast<std::size_t>(request_.machine.sm_count);
      const bool is_first_sm = cta % static_cast<std::size_t>(request_.machine.sm_count) == 0;
      if (!is_first_sm || static_cast<std::int64_t>(tiles[slot].size()) >= request_.tiles) continue;
      TileKind kind = tile_kind(pipeline_, sizes_, request_.problem, row_block);
      kind.first_fetch_ratio =
          sequence.first_fetch_ratio(row_block, static_cast<std::int64_t>(done_.size()));
      tiles[slot].push_back(&kinds.emplace_back(std::move(kind)));
    }
    return tiles;
  }

 private:
  /// A head on each CTA: its first key blocks.
  [[nodiscard]] SmTiles first_heads(std::deque<TileKind>& kinds, SmTiles tiles) const {
    const auto blocks = static_cast<std::int64_t>(row_trips(request_.problem, sizes_.tile).size());
    for (auto& of_slot : tiles) {
      for (std::int64_t block = 0; block < std::min(blocks, request_.tiles); ++block) {
        of_slot.push_back(
            &kinds.emplace_back(key_block_kind(pipeline_, sizes_, request_.problem, block)));
      }
    }
    return tiles;
  }

  const TimelineRequest& request_;
  const Pipeline& pipeline_;
  const TileSizes& sizes_;
  std::int64_t row_blocks_;
  std::vector<std::int64_t> done_;  ///< key blocks, by CTA
};

}  // namespace

core::Process simulate_timeline(const TimelineRequest& request) {
  core::validate(request.problem);
  const Machine machine = under_load_of(request.pipeline, request.machine);
  if (request.pipeline.stated_ramp_iterations) {
    throw core::UsageError("pipeline " + request.pipeline.name +
                           " states ramp_iterations: it has no program to draw a timeline of");
  }
  Pipeline pipeline = shaped_for(request.pipeline, request.problem);
  const TileSizes sizes = tile_sizes(pipeline, request.problem);
  find_misses(machine, request.problem, sizes, pipeline);
  check_fit(machine, pipeline, sizes.scope);
  const CostContext context{machine, pipeline, sizes.scope, request.problem.dtype};
  const ProgramCosts costs = program_costs(context);
  const EventProgram program = event_program(context, costs);
  std::deque<TileKind> kinds;
  const SmTiles tiles = Draws(request, pipeline, sizes).first_sm(kinds);
  TimelineRecorder recorder(program, tiles.size());
  const SmRunResult run =
      run_sm({.program = program, .tiles = tiles, .jumps = false, .watch = [&](const SmState& s) {
                recorder.watch(s);
              }});
  if (run.stuck) throw core::UsageError("pipeline " + pipeline.name + ": " + *run.stuck);
  core::Process process = recorder.finish(run.end.at);
  process.name = fmt::format("{} simulated: first SM of {}, {} tiles", request.pipeline.kernel,
                             machine.name, tiles.front().size());
  process.clock_mhz = clock_mhz(machine).value_or(1000.0);
  return process;
}

}  // namespace fa3prof::sim
