#include "sim/discrete_event.h"

#include "sim/event_program.h"
#include "sim/placement.h"
#include "sim/row_loop.h"
#include "sim/tile_costs.h"
#include "sim/tile_sequence.h"
#include "sim/tile_works.h"
#include "src/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <vector>

namespace fa3prof::sim {
namespace {

constexpr std::int64_t kMostTiles = 1 << 24;
constexpr double kHzPerMhz = 1e6;
constexpr double kSecondsPerUs = 1e-6;

/// CTAs of a head, or of a persistent grid the tiles that it deals out.
std::int64_t row_blocks_of(const ClosedFormInputs& in) {
  if (in.pipeline.loops_over_rows) return 1;
  return (in.problem.seqlen_q + in.tile.m - 1) / in.tile.m;
}

std::int64_t key_blocks_of_head(const ClosedFormInputs& in) {
  return (in.problem.seqlen_kv + in.tile.n - 1) / in.tile.n;
}

/// Costs of the row blocks, worked out when first asked for.
class RowBlockCosts {
 public:
  RowBlockCosts(const ClosedFormInputs& inputs, const TileSizes& sizes, const EventProgram& program)
      : in_(inputs),
        sizes_(sizes),
        sequence_(inputs.pipeline, inputs.problem, row_blocks_of(inputs)),
        costs_(program) {}

  const TileCost* operator()(std::int64_t row_block, std::size_t slots) {
    if (known_.size() <= slots) known_.resize(slots + 1);
    auto& of_slots = known_[slots];
    const auto index = static_cast<std::size_t>(row_block);
    if (of_slots.size() <= index) of_slots.resize(index + 1);
    if (!of_slots[index] && in_.pipeline.loops_over_rows) of_slots[index] = cost_of_head(slots);
    if (!of_slots[index]) {
      const bool sees_keys = key_blocks_of(sizes_, in_.problem, row_block) > 0;
      of_slots[index] = sees_keys ? costs_.cost(kind_of(row_block), slots) : TileCost{};
    }
    return of_slots[index]->alone.at > 0 ? &*of_slots[index] : nullptr;
  }

 private:
  /// All key blocks, one after the other.
  [[nodiscard]] TileCost cost_of_head(std::size_t slots) {
    Moment sum;
    const std::int64_t blocks = key_blocks_of_head(in_);
    for (std::int64_t block = 0; block < blocks; ++block) {
      const TileKind kind = key_block_kind(in_.pipeline, sizes_, in_.problem, block);
      sum.add(1, costs_.cost(kind, slots).middle);
    }
    return {.first = sum, .middle = sum, .last = sum, .alone = sum};
  }

  [[nodiscard]] TileKind kind_of(std::int64_t row_block) const {
    TileKind kind = tile_kind(in_.pipeline, sizes_, in_.problem, row_block);
    kind.first_fetch_ratio =
        sequence_.first_fetch_ratio(row_block, in_.machine.sm_count * in_.pipeline.ctas_per_sm);
    return kind;
  }

  const ClosedFormInputs& in_;
  const TileSizes& sizes_;
  TileSequence sequence_;
  TileCosts costs_;
  std::vector<std::deque<std::optional<TileCost>>> known_;  ///< by slots, by row block
};

/// Bytes to and from memory: everything once, and K and V of a head once more for each round of
/// tiles where the heads that run at the same time do not fit L2 together.
double memory_bytes(const ClosedFormInputs& in, std::int64_t row_blocks) {
  const double once = core::min_bytes(in.problem);
  if (in.pipeline.loops_over_rows) {
    return once + missed_bytes(in.pipeline, in.problem, in.tile);
  }
  const Machine::Number l2 =
      in.machine.l2_effective_bytes ? in.machine.l2_effective_bytes : in.machine.l2_bytes;
  if (!l2) return once;
  const double head_bytes = 2.0 * static_cast<double>(in.problem.seqlen_kv * in.problem.head_dim *
                                                      core::element_bytes(in.problem.dtype));
  const auto at_once = static_cast<double>(in.machine.sm_count * in.pipeline.ctas_per_sm);
  const double heads_at_once = std::max(1.0, at_once / static_cast<double>(row_blocks));
  if (heads_at_once * head_bytes <= *l2) return once;
  const double rounds = std::max(1.0, static_cast<double>(row_blocks) / at_once);
  const auto heads = static_cast<double>(in.problem.batch * in.problem.num_heads_kv);
  const double seen_ratio = in.problem.is_causal ? 0.5 : 1.0;
  return once + heads * head_bytes * (rounds - 1.0) * seen_ratio;
}

std::string_view limiter_of(const DiscreteEvent& run) {
  const Breakdown& parts = run.breakdown;
  // What limits the SMs that work; those that wait for them have no limit of their own.
  if (parts[Category::kTensorBusy] >= 0.9 * (run.cycles - parts[Category::kTail])) return "tensor";
  auto largest = Category::kSoftmaxExposed;
  for (const Category category : {Category::kLoadExposed, Category::kBarrier, Category::kRamp}) {
    if (parts[category] > parts[largest]) largest = category;
  }
  return kCategoryNames[static_cast<std::size_t>(largest)];
}

void add_whole_kernel(const ClosedFormInputs& in, std::int64_t row_blocks, DiscreteEvent& run) {
  const Machine::Number clock = clock_mhz(in.machine);
  run.launch_cycles =
      in.machine.launch_us.value_or(0.0) * kSecondsPerUs * clock.value_or(0.0) * kHzPerMhz;
  run.breakdown[Category::kRamp] += run.launch_cycles;
  run.memory_bytes = memory_bytes(in, row_blocks);
  if (clock && in.machine.hbm_bytes_per_s) {
    run.hbm_cycles = run.memory_bytes / *in.machine.hbm_bytes_per_s * *clock * kHzPerMhz;
  }
  run.cycles = run.breakdown.sum();
  run.limiter = limiter_of(run);
  if (run.hbm_cycles > run.cycles) {
    run.breakdown[Category::kLoadExposed] += run.hbm_cycles - run.cycles;
    run.cycles = run.breakdown.sum();
    run.limiter = "hbm";
  }
}

}  // namespace

DiscreteEvent evaluate_discrete_event(const CostContext& context, const ClosedFormInputs& in,
                                      const TileSizes& sizes) {
  const std::int64_t row_blocks = row_blocks_of(in);
  const double tiles = static_cast<double>(row_blocks) *
                       static_cast<double>(in.problem.batch * in.problem.num_heads);
  if (tiles > static_cast<double>(kMostTiles)) {
    throw core::UsageError("too many output tiles to place one by one for " +
                           core::describe(in.problem) + ": use --engine closed_form");
  }
  const ProgramCosts costs = program_costs(context);
  const EventProgram program = event_program(context, costs);
  RowBlockCosts row_block_costs(in, sizes, program);
  const auto cost_of = [&](std::int64_t row_block, std::size_t slots) {
    return row_block_costs(row_block, slots);
  };
  const PlacedTiles placed = place_tiles({.pipeline = in.pipeline,
                                          .problem = in.problem,
                                          .row_blocks = row_blocks,
                                          .sm_count = in.machine.sm_count},
                                         cost_of);
  DiscreteEvent run;
  run.tiles = placed.tiles;
  run.makespan_cycles = placed.makespan_cycles;
  run.breakdown = placed.mean;
  const auto slots = static_cast<std::size_t>(in.pipeline.ctas_per_sm);
  if (const TileCost* longest = cost_of(row_blocks - 1, slots)) {
    run.longest_tile_cycles = to_cycles(longest->middle.at);
    run.longest_tile_blocks = in.pipeline.loops_over_rows
                                  ? key_blocks_of_head(in)
                                  : key_blocks_of(sizes, in.problem, row_blocks - 1);
  }
  add_whole_kernel(in, row_blocks, run);
  return run;
}

std::vector<core::Term> describe_terms(const ClosedFormInputs& in, const DiscreteEvent& run) {
  const int ctas = in.pipeline.ctas_per_sm;
  const std::string beside = ctas > 1 ? fmt::format(" on each of {} CTAs of an SM", ctas) : "";
  std::string total =
      fmt::format("SMs {:.0f} + launch {:.0f}", run.makespan_cycles, run.launch_cycles);
  if (run.hbm_cycles > 0.0) {
    total = fmt::format("max({}, hbm {:.0f} for {:.0f} MB)", total, run.hbm_cycles,
                        run.memory_bytes / 1e6);
  }
  return {{.name = "longest tile",
           .formula =
               fmt::format("{} key blocks, between two others{}", run.longest_tile_blocks, beside),
           .cycles = run.longest_tile_cycles},
          {.name = "all tiles",
           .formula = fmt::format("{} tiles on {} SMs", run.tiles, in.machine.sm_count),
           .cycles = run.makespan_cycles},
          {.name = "total", .formula = total, .cycles = run.cycles}};
}

}  // namespace fa3prof::sim
