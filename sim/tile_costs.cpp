#include "sim/tile_costs.h"

#include "src/core/error.h"

#include <algorithm>

namespace fa3prof::sim {
namespace {

constexpr std::size_t kTilesInARow = 4;

/// A loop of so many trips is long enough for its steady state, if it has one.
constexpr std::int64_t kLearningTrips = 64;

SmRunResult run_row(const EventProgram& program, const TileKind& kind, std::size_t slots,
                    std::size_t tiles) {
  const SmTiles row(slots, std::vector<const TileKind*>(tiles, &kind));
  SmRunResult result = run_sm({.program = program, .tiles = row});
  if (result.stuck) {
    throw core::UsageError("pipeline " + program.pipeline->name + ": " + *result.stuck);
  }
  return result;
}

TileKind with_trips(TileKind kind, std::int64_t more) {
  for (TileWork& work : kind.works) work.trips += more;
  return kind;
}

Moment longer(Moment moment, std::int64_t count, const Moment& period) {
  moment.add(count, period);
  return moment;
}

}  // namespace

TileCosts::Known TileCosts::run(const TileKind& kind, std::size_t slots) const {
  Known known;
  known.trips = kind.works.front().trips;
  known.cost.alone = run_row(program_, kind, slots, 1).end;
  const SmRunResult row = run_row(program_, kind, slots, kTilesInARow);
  const std::vector<Moment>& ends = row.tile_ends[0];
  known.cost.first = ends[0];
  known.cost.middle = ends[2].since(ends[1]);
  known.cost.last = row.end.since(ends[2]);
  // A tile between others is what most tiles are.
  const auto& usual = row.periods[2];
  const bool is_steady = std::ranges::all_of(row.periods, [&usual](const auto& period) {
    return usual && period && usual->trips % period->trips == 0;
  });
  if (is_steady) {
    known.period_trips = usual->trips;
    known.period = usual->duration;
  }
  return known;
}

const TileCosts::Known* TileCosts::base_for(const std::vector<Known>& known, std::int64_t trips) {
  for (const Known& base : known) {
    if (base.trips == trips) return &base;
    if (base.period_trips == 0 || base.trips > trips) continue;
    if ((trips - base.trips) % base.period_trips == 0) return &base;
  }
  return nullptr;
}

TileCost TileCosts::cost(const TileKind& kind, std::size_t slots) {
  const std::int64_t trips = kind.works.front().trips;
  Pattern pattern;
  for (const TileWork& work : kind.works) {
    pattern.insert(pattern.end(), {work.hidden, work.masked, work.trips - trips});
  }
  auto& known = known_[{slots, kind.first_fetch_ratio, pattern}];
  const Known* base = base_for(known, trips);
  if (base == nullptr && trips > 2 * kLearningTrips) {
    Known learnt = run(with_trips(kind, kLearningTrips - trips), slots);
    if (learnt.period_trips > 0) {
      const std::int64_t rest = (trips - kLearningTrips) % learnt.period_trips;
      known.push_back(rest == 0 ? learnt
                                : run(with_trips(kind, kLearningTrips + rest - trips), slots));
      base = base_for(known, trips);
    }
  }
  if (base == nullptr) {
    known.push_back(run(kind, slots));
    base = &known.back();
  }
  const std::int64_t count = base->trips == trips ? 0 : (trips - base->trips) / base->period_trips;
  return {.first = longer(base->cost.first, count, base->period),
          .middle = longer(base->cost.middle, count, base->period),
          .last = longer(base->cost.last, count, base->period),
          .alone = longer(base->cost.alone, count, base->period)};
}

}  // namespace fa3prof::sim
