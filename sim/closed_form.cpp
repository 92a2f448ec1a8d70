#include "sim/closed_form.h"

#include "sim/row_loop.h"

#include <algorithm>
#include <functional>

namespace fa3prof::sim {
namespace {

constexpr double kHzPerMhz = 1e6;
constexpr double kSecondsPerUs = 1e-6;

/// When the last SM is done and how the SMs' time is spent on average; the rest is the tail.
struct Placement {
  std::int64_t busiest_sm_tiles = 0;
  double makespan_cycles = 0.0;
  Breakdown mean;
};

/// `tiles` equal tiles one after the other on an SM, as many at once as fit.
Breakdown time_of(const auto& together, std::int64_t tiles, int ctas_per_sm) {
  Breakdown time;
  const std::int64_t rounds = tiles / ctas_per_sm;
  time.add(static_cast<double>(rounds), together(ctas_per_sm));
  const auto rest = static_cast<int>(tiles % ctas_per_sm);
  if (rest > 0) time.add(1.0, together(rest));
  return time;
}

/// Equal tiles: SMs differ by one tile at most. `together(copies)` is the time of so many at once.
Placement place_equal(const ClosedFormInputs& in, std::int64_t tiles, const auto& together) {
  const std::int64_t sms = in.machine.sm_count;
  const std::int64_t most = (tiles + sms - 1) / sms;
  const std::int64_t busiest_sms = tiles - sms * (most - 1);
  const Breakdown most_time = time_of(together, most, in.pipeline.ctas_per_sm);
  const Breakdown less_time = time_of(together, most - 1, in.pipeline.ctas_per_sm);
  const double busiest_ratio = static_cast<double>(busiest_sms) / static_cast<double>(sms);
  Placement placed{.busiest_sm_tiles = most, .makespan_cycles = most_time.sum(), .mean = {}};
  placed.mean.add(busiest_ratio, most_time);
  placed.mean.add(1.0 - busiest_ratio, less_time);
  return placed;
}

Placement place_equal_tiles(const ClosedFormInputs& in, const TileModel& model,
                            const TileGroup& group) {
  const auto trips = static_cast<double>(loop_trips(in.pipeline, group.key_blocks));
  return place_equal(in, group.tiles,
                     [&](int copies) { return model.tile_time(copies, trips).parts; });
}

/// CTAs that own a head each: all its key blocks, one after the other.
Placement place_heads(const ClosedFormInputs& in, const TileModel& model) {
  return place_equal(in, in.problem.batch * in.problem.num_heads, [&](int copies) {
    Breakdown time;
    for (const std::int64_t trips : row_trips(in.problem, in.tile)) {
      time.add(1.0, model.tile_time(copies, static_cast<double>(trips)).parts);
    }
    return time;
  });
}

/// Unequal tiles: each SM takes the next one when it is free. CTAs that share an SM count as one
/// server at their joint rate; only the longest tile must not end before it could alone.
Placement place_unequal(const ClosedFormInputs& in, const TileModel& model,
                        std::vector<TileGroup> groups) {
  if (in.pipeline.is_longest_first) std::ranges::reverse(groups);
  const int ctas = in.pipeline.ctas_per_sm;
  Placement placed;
  std::vector<TimedGroup> timed;
  timed.reserve(groups.size());
  double longest_alone = 0.0;
  for (const TileGroup& group : groups) {
    if (group.key_blocks == 0) continue;
    const auto trips = static_cast<double>(loop_trips(in.pipeline, group.key_blocks));
    const TileTime time = model.tile_time(ctas, trips);
    timed.push_back({.tiles = group.tiles, .cycles = time.cycles / ctas});
    placed.mean.add(
        static_cast<double>(group.tiles) / ctas / static_cast<double>(in.machine.sm_count),
        time.parts);
    longest_alone = std::max(longest_alone, model.tile_time(1, trips).cycles);
  }
  const TileOrder order =
      in.pipeline.is_longest_first ? TileOrder::kGroupByGroup : TileOrder::kRowBlocksFastest;
  placed.makespan_cycles =
      std::max(makespan_cycles(timed, order, in.machine.sm_count), longest_alone);
  return placed;
}

double launch_cycles(const ClosedFormInputs& in) {
  return in.machine.launch_us.value_or(0.0) * kSecondsPerUs * clock_mhz(in.machine).value_or(0.0) *
         kHzPerMhz;
}

double whole_memory_bytes(const ClosedFormInputs& in) {
  const double once = core::min_bytes(in.problem);
  return in.pipeline.loops_over_rows ? once + missed_bytes(in.pipeline, in.problem, in.tile) : once;
}

double hbm_cycles(const ClosedFormInputs& in) {
  const Machine::Number clock = clock_mhz(in.machine);
  if (!clock || !in.machine.hbm_bytes_per_s) return 0.0;
  return whole_memory_bytes(in) / *in.machine.hbm_bytes_per_s * *clock * kHzPerMhz;
}

std::string_view limiter_of(const TileTime& tile, const TileModel& model, int ctas) {
  constexpr double kTie = 1.0 - 1e-9;
  const Resource in_loop = model.per_trip().longest();
  const double unit_cycles = ctas * model.per_trip().bound(in_loop);
  const bool is_unit_bound =
      unit_cycles > 0.0 && unit_cycles >= kTie * model.chain(ctas).per_trip.cycles;
  if (is_unit_bound) return kResourceNames[static_cast<std::size_t>(in_loop)];
  if (tile.is_chain_bound) return "dependency chain";
  return kResourceNames[static_cast<std::size_t>(tile.longest)];
}

}  // namespace

Machine::Number clock_mhz(const Machine& machine) {
  return machine.clock_load_mhz ? machine.clock_load_mhz : machine.clock_max_mhz;
}

std::int64_t loop_trips(const Pipeline& pipeline, std::int64_t key_blocks) {
  return std::max<std::int64_t>(0, key_blocks - pipeline.peeled_blocks);
}

double closed_form_cycles(const ClosedFormInputs& in, const TileModel& model) {
  const std::int64_t blocks = core::key_blocks(in.problem, in.problem.seqlen_q, in.tile.n);
  if (in.problem.is_causal || blocks == 0 || in.pipeline.loops_over_rows)
    return evaluate_closed_form(in, model).cycles;
  const std::int64_t row_blocks = (in.problem.seqlen_q + in.tile.m - 1) / in.tile.m;
  const TileGroup group{.key_blocks = blocks,
                        .tiles = row_blocks * in.problem.batch * in.problem.num_heads};
  const double sm_cycles = place_equal_tiles(in, model, group).makespan_cycles + launch_cycles(in) +
                           model.first_fill_cycles();
  return std::max(sm_cycles, hbm_cycles(in));
}

std::int64_t most_loop_trips(const Pipeline& pipeline, const core::AttentionProblem& problem,
                             const core::Tile& tile) {
  if (pipeline.loops_over_rows) return row_trips(problem, tile).front();
  return loop_trips(pipeline, core::key_blocks(problem, problem.seqlen_q, tile.n));
}

ClosedForm evaluate_closed_form(const ClosedFormInputs& in, const TileModel& model) {
  const std::vector<TileGroup> groups = tile_groups(in.problem, in.tile);
  ClosedForm form;
  for (const TileGroup& group : groups) {
    form.tiles += group.tiles;
  }
  form.most_trips = most_loop_trips(in.pipeline, in.problem, in.tile);
  if (in.pipeline.loops_over_rows) form.tiles = in.problem.batch * in.problem.num_heads;
  const bool is_equal = groups.size() == 1 && groups.front().key_blocks > 0;
  const Placement placed = in.pipeline.loops_over_rows ? place_heads(in, model)
                           : is_equal ? place_equal_tiles(in, model, groups.front())
                                      : place_unequal(in, model, groups);
  form.busiest_sm_tiles = placed.busiest_sm_tiles;
  form.makespan_cycles = placed.makespan_cycles;
  form.longest_tile =
      model.tile_time(in.pipeline.ctas_per_sm, static_cast<double>(form.most_trips));
  form.launch_cycles = launch_cycles(in);
  form.first_fill_cycles = model.first_fill_cycles();
  form.hbm_cycles = hbm_cycles(in);
  form.limiter = limiter_of(form.longest_tile, model, in.pipeline.ctas_per_sm);

  form.breakdown = placed.mean;
  form.breakdown[Category::kRamp] += form.launch_cycles + form.first_fill_cycles;
  form.breakdown[Category::kTail] = std::max(0.0, placed.makespan_cycles - placed.mean.sum());
  const double sm_cycles = form.breakdown.sum();
  if (form.hbm_cycles > sm_cycles) {
    form.breakdown[Category::kLoadExposed] += form.hbm_cycles - sm_cycles;
    form.limiter = "hbm";
  }
  form.cycles = form.breakdown.sum();
  return form;
}

}  // namespace fa3prof::sim
