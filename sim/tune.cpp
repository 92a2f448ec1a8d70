#include "sim/tune.h"

#include "sim/closed_form.h"
#include "sim/engine.h"
#include "sim/fit.h"
#include "sim/load_clock.h"
#include "src/core/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <optional>
#include <utility>

namespace fa3prof::sim {
namespace {

struct Candidate {
  const DesignSpace* space = nullptr;
  DesignPoint point;
  double bound_cycles = 0.0;
  double clock_mhz = 1.0;  ///< under its pipeline's load; 1 where the machine states no clock
};

/// Time, or cycles where no clock is known.
double bound_cost(const Candidate& candidate) {
  return candidate.bound_cycles / candidate.clock_mhz;
}

double simulated_cost(const TunedPoint& tuned) {
  return tuned.result.time_us.value_or(*tuned.result.cycles);
}

/// Cycles of the closed form, or nothing where the point does not fit after all.
std::optional<double> bound_of(const Machine& machine, const core::AttentionProblem& problem,
                               const DesignSpace& space, const DesignPoint& point) {
  try {
    const Pipeline pipeline = shaped_for(space.pipeline(point), problem);
    const TileSizes sizes = tile_sizes(pipeline, problem);
    check_fit(machine, pipeline, sizes.scope);
    const CostContext context{machine, pipeline, sizes.scope, problem.dtype};
    const TileModel model(context, most_loop_trips(pipeline, problem, sizes.tile));
    return closed_form_cycles({machine, pipeline, problem, sizes.tile}, model);
  } catch (const core::UsageError&) {
    return std::nullopt;
  }
}

/// The closed form does not see which of the persistent grids it is.
bool has_same_bound(const DesignPoint& a, DesignPoint b) {
  if (a.grid != GridStyle::kCtaPerTile && b.grid != GridStyle::kCtaPerTile) b.grid = a.grid;
  return a == b;
}

void add_candidates(const TuneRequest& request, const DesignSpace& space, Tuning& tuning,
                    std::vector<Candidate>& candidates) {
  const Machine machine = under_load_of(space.base(), request.machine);
  for (const DesignPoint& point : space.points()) {
    ++tuning.points;
    if (const auto obstacle = space.obstacle(point)) {
      ++tuning.obstacles[static_cast<std::size_t>(*obstacle)];
      continue;
    }
    const bool is_known = !candidates.empty() && candidates.back().space == &space &&
                          has_same_bound(candidates.back().point, point);
    const std::optional<double> bound = is_known ? std::optional(candidates.back().bound_cycles)
                                                 : bound_of(machine, request.problem, space, point);
    if (!bound) {
      ++tuning.obstacles[static_cast<std::size_t>(Obstacle::kSharedMemory)];
      continue;
    }
    ++tuning.feasible;
    candidates.push_back({.space = &space,
                          .point = point,
                          .bound_cycles = *bound,
                          .clock_mhz = clock_mhz(machine).value_or(1.0)});
  }
}

std::optional<TunedPoint> simulated(const TuneRequest& request, const Candidate& candidate) {
  const DesignSpace& space = *candidate.space;
  TunedPoint tuned{.pipeline = space.base().name,
                   .kernel = space.base().kernel,
                   .point = candidate.point,
                   .is_stated = candidate.point == space.stated(),
                   .registers_needed = space.registers_needed(candidate.point).total(),
                   .registers_there = space.registers_there(candidate.point),
                   .shared_memory_bytes = space.shared_memory_bytes(candidate.point),
                   .bound_cycles = candidate.bound_cycles,
                   .result = {}};
  try {
    tuned.result = simulate(Engine::kDiscreteEvent, request.machine,
                            space.pipeline(candidate.point), request.problem);
  } catch (const core::UsageError&) {  // a program that the engine cannot run with these sizes
    return std::nullopt;
  }
  tuned.result.terms.clear();
  return tuned;
}

std::vector<DesignSpace> spaces_of(const TuneRequest& request, Tuning& tuning) {
  std::vector<DesignSpace> spaces;
  for (const Pipeline& pipeline : request.pipelines) {
    try {
      spaces.emplace_back(request.machine, pipeline, request.problem);
    } catch (const core::UsageError& error) {
      tuning.left_out.emplace_back(error.what());
    }
  }
  return spaces;
}

}  // namespace

Tuning tune(const TuneRequest& request) {
  core::validate(request.problem);
  const std::clock_t begin = std::clock();
  Tuning tuning;
  tuning.problem = request.problem;
  tuning.machine = request.machine.name;
  const std::vector<DesignSpace> spaces = spaces_of(request, tuning);
  std::vector<Candidate> candidates;
  for (const DesignSpace& space : spaces) add_candidates(request, space, tuning, candidates);
  std::ranges::stable_sort(candidates, {}, bound_cost);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const bool is_stated = candidates[i].point == candidates[i].space->stated();
    if (i >= request.simulated_points && !is_stated) continue;
    if (auto tuned = simulated(request, candidates[i])) {
      tuning.simulated.push_back(*std::move(tuned));
    }
  }
  if (tuning.simulated.empty()) {
    throw core::UsageError(
        fmt::format("nothing to tune: of {} points for {} on machine {} none can run{}{}",
                    tuning.points, core::describe(request.problem), request.machine.name,
                    tuning.left_out.empty() ? "" : "; ", fmt::join(tuning.left_out, "; ")));
  }
  std::ranges::stable_sort(tuning.simulated, {}, simulated_cost);
  tuning.seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  return tuning;
}

}  // namespace fa3prof::sim
