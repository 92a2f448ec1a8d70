#include "sim/closed_form_terms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace fa3prof::sim {
namespace {

/// Cycles for people: whole numbers as such, others with one decimal.
std::string number(double cycles) {
  const double tenths = std::round(cycles * 10.0) / 10.0;
  return fmt::format("{}", tenths);
}

std::string joined(const std::vector<std::string>& summands) {
  return summands.empty() ? "0" : fmt::format("{}", fmt::join(summands, " + "));
}

void add_steps(const CostContext& at, const TileModel& model, std::vector<core::Term>& terms) {
  for (std::size_t r = 0; r < at.pipeline.roles.size(); ++r) {
    const Role& role = at.pipeline.roles[r];
    const auto& steps = role.steps(Section::kLoop);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const StepCost& cost =
          model.costs().roles[r].sections[static_cast<std::size_t>(Section::kLoop)][i];
      if (cost.alone_cycles == 0.0) continue;
      terms.push_back({.name = role.name + "." + steps[i].name,
                       .formula = cost_formula(at, role, steps[i]),
                       .cycles = cost.alone_cycles});
    }
  }
}

/// Busy cycles of a unit in one loop trip, role by role.
std::vector<std::string> by_role(const CostContext& at, const TileModel& model, Resource unit) {
  std::vector<std::string> summands;
  for (std::size_t r = 0; r < at.pipeline.roles.size(); ++r) {
    double cycles = 0.0;
    const auto& sections = model.costs().roles[r].sections;
    for (const StepCost& cost : sections[static_cast<std::size_t>(Section::kLoop)]) {
      cycles += cost.busy(unit);
    }
    const Role& role = at.pipeline.roles[r];
    if (cycles > 0.0) {
      summands.push_back(fmt::format("{} {} * {}", role.instances, role.name, number(cycles)));
    }
  }
  return summands;
}

void add_units(const CostContext& at, const TileModel& model, std::vector<core::Term>& terms) {
  for (std::size_t i = 0; i < kResources; ++i) {
    const auto unit = static_cast<Resource>(i);
    const double cycles = model.per_trip().bound(unit);
    if (cycles == 0.0) continue;
    std::vector<std::string> summands = by_role(at, model, unit);
    if (unit == Resource::kTensor && model.per_trip().tensor_stall_cycles > 0.0) {
      const double stall = at.machine.wgmma_stall_per_fp32_cycle.value_or(1.0);
      summands.push_back(fmt::format("{} stall * {} fp32 in rows", stall,
                                     number(model.per_trip().tensor_stall_cycles / stall)));
    }
    terms.push_back({.name = fmt::format("trip on {}", kResourceNames[i]),
                     .formula = joined(summands),
                     .cycles = cycles});
  }
}

std::string chain_sum(const PathTime& chain) {
  constexpr std::array<std::string_view, kPathParts> kPartNames{"tensor", "softmax", "load",
                                                                "barrier", "ramp"};
  std::vector<std::string> summands;
  for (std::size_t i = 0; i < kPathParts; ++i) {
    if (chain.parts[i] > 0.0) {
      summands.push_back(fmt::format("{} {}", kPartNames[i], number(chain.parts[i])));
    }
  }
  return joined(summands);
}

core::Term tile_term(const CostContext& at, const TileModel& model, const ClosedForm& form) {
  const int ctas = at.pipeline.ctas_per_sm;
  const TileTime& tile = form.longest_tile;
  const double per_trip = tile.is_chain_bound ? model.chain(ctas).per_trip.cycles
                                              : ctas * model.per_trip().bound(tile.longest);
  std::string formula;
  if (at.pipeline.stated_ramp_iterations && tile.is_chain_bound) {
    formula = fmt::format("({} trips + {} ramp) * {}", form.most_trips,
                          *at.pipeline.stated_ramp_iterations, number(per_trip));
  } else {
    const double rest = tile.cycles - static_cast<double>(form.most_trips) * per_trip;
    formula = fmt::format("{} trips * {} + {} outside the loop", form.most_trips, number(per_trip),
                          number(rest));
  }
  formula += tile.is_chain_bound
                 ? " (along the chain)"
                 : fmt::format(" (on {})", kResourceNames[static_cast<std::size_t>(tile.longest)]);
  if (at.pipeline.loops_over_rows) formula += ", the first of a head's key blocks";
  return {.name = ctas == 1 ? "tile" : fmt::format("{} tiles together", ctas),
          .formula = formula,
          .cycles = tile.cycles};
}

std::string placement_formula(const ClosedFormInputs& in, const ClosedForm& form) {
  const std::string at_once =
      in.pipeline.ctas_per_sm > 1 ? fmt::format(", {} at once", in.pipeline.ctas_per_sm) : "";
  if (form.busiest_sm_tiles > 0) {
    return fmt::format("ceil({} / {} SMs) = {} tiles{}", form.tiles, in.machine.sm_count,
                       form.busiest_sm_tiles, at_once);
  }
  return fmt::format("{} tiles of different length on {} SMs{}, {}", form.tiles,
                     in.machine.sm_count, at_once,
                     in.pipeline.is_longest_first ? "longest first" : "in grid order");
}

std::string total_formula(const ClosedForm& form) {
  std::vector<std::string> summands{fmt::format("SMs {}", number(form.makespan_cycles))};
  if (form.launch_cycles > 0.0) {
    summands.push_back(fmt::format("launch {}", number(form.launch_cycles)));
  }
  if (form.first_fill_cycles > 0.0) {
    summands.push_back(fmt::format("first fill {}", number(form.first_fill_cycles)));
  }
  const std::string sum = joined(summands);
  return form.hbm_cycles > 0.0 ? fmt::format("max({}, hbm {})", sum, number(form.hbm_cycles)) : sum;
}

}  // namespace

std::vector<core::Term> describe_terms(const CostContext& context, const ClosedFormInputs& inputs,
                                       const TileModel& model, const ClosedForm& form) {
  std::vector<core::Term> terms;
  add_steps(context, model, terms);
  add_units(context, model, terms);
  const int ctas = context.pipeline.ctas_per_sm;
  const PathTime& chain = model.chain(ctas).per_trip;
  terms.push_back({.name = ctas == 1 ? "trip along the chain"
                                     : fmt::format("trip along the chain, {} CTAs in step", ctas),
                   .formula = chain_sum(chain),
                   .cycles = chain.cycles});
  terms.push_back(tile_term(context, model, form));
  terms.push_back({.name = "all tiles",
                   .formula = placement_formula(inputs, form),
                   .cycles = form.makespan_cycles});
  terms.push_back({.name = "total", .formula = total_formula(form), .cycles = form.cycles});
  return terms;
}

}  // namespace fa3prof::sim
