#include "sim/tile_model.h"

#include "src/core/error.h"

#include <algorithm>

namespace fa3prof::sim {
namespace {

/// Trips run exactly before the chain is continued as a line. Half of them are for the start-up to
/// die away; the slope is taken over the other half, which 1 to 4 and 6 stages divide.
constexpr std::int64_t kExactTrips = 24;

Category category_of(PathPart part) {
  switch (part) {
    case PathPart::kTensor:
      return Category::kTensorBusy;
    case PathPart::kElementwise:
      return Category::kSoftmaxExposed;
    case PathPart::kLoad:
      return Category::kLoadExposed;
    case PathPart::kBarrier:
      return Category::kBarrier;
    case PathPart::kRamp:
      break;
  }
  return Category::kRamp;
}

/// What a tensor unit waits for while `resource` is busier than it.
Category category_of(Resource resource) {
  return activity_of(resource) == Activity::kLoad ? Category::kLoadExposed
                                                  : Category::kSoftmaxExposed;
}

bool has_wgmma(const Pipeline& pipeline) {
  const auto is_wgmma = [](const Step& step) {
    const auto* mma = std::get_if<Mma>(&step.action);
    return mma != nullptr && mma->by == MmaUnit::kWgmma;
  };
  return std::ranges::any_of(pipeline.roles, [&](const Role& role) {
    return std::ranges::any_of(role.sections, [&](const std::vector<Step>& steps) {
      return std::ranges::any_of(steps, is_wgmma);
    });
  });
}

PathResult run(const CostContext& at, const ProgramCosts& costs, const PathRequest& request) {
  PathResult result = run_uncontended(at.pipeline, at.scope, costs, request);
  if (result.stuck) {
    throw core::UsageError("pipeline " + at.pipeline.name + ": " + *result.stuck);
  }
  return result;
}

}  // namespace

Resource UnitDemand::longest() const {
  auto longest = Resource::kTensor;
  for (std::size_t i = 0; i < kResources; ++i) {
    if (bound(static_cast<Resource>(i)) > bound(longest)) longest = static_cast<Resource>(i);
  }
  return longest;
}

UnitDemand UnitDemand::plus(double factor, const UnitDemand& other) const {
  UnitDemand sum = *this;
  for (std::size_t i = 0; i < kResources; ++i) {
    sum.busy_cycles[i] += factor * other.busy_cycles[i];
  }
  sum.tensor_stall_cycles += factor * other.tensor_stall_cycles;
  return sum;
}

TileModel::TileModel(const CostContext& context, std::int64_t most_trips)
    : pipeline_(context.pipeline), costs_(program_costs(context)) {
  add_demand(context);
  for (int copies = 1; copies <= pipeline_.ctas_per_sm; ++copies) {
    chains_.push_back(find_chain(context, most_trips, copies));
  }
}

void TileModel::add_demand(const CostContext& context) {
  double stall = 0.0;
  if (has_wgmma(pipeline_)) {
    stall = required(context.machine, &Machine::wgmma_stall_per_fp32_cycle,
                     "pipeline " + pipeline_.name);
  }
  for (std::size_t r = 0; r < pipeline_.roles.size(); ++r) {
    const Role& role = pipeline_.roles[r];
    for (std::size_t i = 0; i < kSectionNames.size(); ++i) {
      const auto section = static_cast<Section>(i);
      if (!is_of_every_tile(section)) continue;
      UnitDemand& demand = section == Section::kLoop ? per_trip_ : per_tile_;
      for (std::size_t s = 0; s < role.steps(section).size(); ++s) {
        if (role.steps(section)[s].when != StepFor::kEachBlock) continue;
        const StepCost& cost = costs_.roles[r].sections[i][s];
        const double held_up = cost.stalls_wgmma() ? stall * cost.busy(Resource::kFp32) : 0.0;
        demand = demand.plus(role.instances,
                             {.busy_cycles = cost.busy_cycles, .tensor_stall_cycles = held_up});
      }
    }
  }
}

/// A CTA with a cross section does that between its tiles; prologue and epilogue come once.
bool TileModel::is_of_every_tile(Section section) const {
  if (section == Section::kLoop) return true;
  return (section == Section::kCross) == pipeline_.has_cross();
}

Chain TileModel::find_chain(const CostContext& context, std::int64_t most_trips, int copies) const {
  // With a stated ramp only the steady state counts, and a short problem never reaches it.
  const std::int64_t needed = pipeline_.stated_ramp_iterations ? kExactTrips : most_trips;
  const auto base_trips = static_cast<int>(std::min(needed, kExactTrips));
  const int half_trips = base_trips / 2;
  // A tile that begins and ends with a cross section is one between two others.
  const int tiles = !pipeline_.is_persistent ? 1 : pipeline_.has_cross() ? 4 : 2;
  PathRequest request{.tiles = tiles, .trips = base_trips, .copies = copies};
  const PathResult base = run(context, costs_, request);
  Chain chain{.base_trips = static_cast<double>(base_trips), .first_tile = base.tile_ends.front()};
  const std::size_t later = pipeline_.has_cross() ? 2 : 1;
  chain.next_tile = pipeline_.is_persistent
                        ? PathTime::slope(base.tile_ends[later - 1], base.tile_ends[later], 1.0)
                        : chain.first_tile;
  chain.fill_cycles = base.fill_cycles;
  if (base_trips > half_trips) {
    request.trips = half_trips;
    const PathResult half = run(context, costs_, request);
    chain.per_trip = PathTime::slope(half.tile_ends.front(), chain.first_tile,
                                     static_cast<double>(base_trips - half_trips));
  }
  return chain;
}

PathTime TileModel::chain_time(const Chain& chain, double trips) const {
  if (!pipeline_.stated_ramp_iterations) {
    return chain.next_tile.plus(trips - chain.base_trips, chain.per_trip);
  }
  PathTime time = PathTime{}.plus(trips, chain.per_trip);
  time.add(PathPart::kRamp, *pipeline_.stated_ramp_iterations * chain.per_trip.cycles);
  return time;
}

TileTime TileModel::tile_time(int copies, double trips) const {
  const UnitDemand demand = per_tile_.plus(trips, per_trip_);
  const PathTime longest_chain = chain_time(chain(copies), trips);
  TileTime time{.longest = demand.longest()};
  const double fill = pipeline_.is_persistent ? 0.0 : fill_cycles(chain(copies));
  const double unit_cycles = fill + copies * demand.bound(time.longest);
  time.is_chain_bound = longest_chain.cycles >= unit_cycles;
  const double tensor_cycles = copies * demand.busy(Resource::kTensor);
  const double gap = std::max(0.0, std::max(longest_chain.cycles, unit_cycles) - tensor_cycles);

  time.parts[Category::kTensorBusy] = tensor_cycles;
  const double waiting = longest_chain.cycles - longest_chain.part(PathPart::kTensor);
  if (!time.is_chain_bound) {
    time.parts[category_of(time.longest)] += gap - fill;
    time.parts[Category::kRamp] += fill;
  } else if (waiting > 0.0) {
    // Other CTAs and role instances keep the tensor unit busy during part of the chain's waiting.
    for (std::size_t i = 0; i < kPathParts; ++i) {
      const auto part = static_cast<PathPart>(i);
      if (part == PathPart::kTensor) continue;
      time.parts[category_of(part)] += gap * longest_chain.part(part) / waiting;
    }
  }
  time.cycles = time.parts.sum();
  return time;
}

double TileModel::fill_cycles(const Chain& chain) const {
  return pipeline_.stated_ramp_iterations ? 0.0 : chain.fill_cycles;
}

double TileModel::first_fill_cycles() const {
  return pipeline_.is_persistent ? fill_cycles(chain(pipeline_.ctas_per_sm)) : 0.0;
}

}  // namespace fa3prof::sim
