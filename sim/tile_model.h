// One output tile on one SM: what its CTA asks of the units, the longest chain of its steps, and
// how long the tile takes given both.
#pragma once

#include "sim/breakdown.h"
#include "sim/critical_path.h"
#include "sim/machine.h"
#include "sim/pipeline.h"
#include "sim/step_costs.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace fa3prof::sim {

/// Cycles that the units of an SM are busy for one CTA.
struct UnitDemand {
  std::array<double, kResources> busy_cycles{};
  double tensor_stall_cycles = 0.0;  ///< WGMMA held up by FP32 instructions beside it

  [[nodiscard]] double busy(Resource resource) const {
    return busy_cycles[static_cast<std::size_t>(resource)];
  }

  /// Busy cycles, the stall counted to the tensor unit.
  [[nodiscard]] double bound(Resource resource) const {
    return busy(resource) + (resource == Resource::kTensor ? tensor_stall_cycles : 0.0);
  }

  /// The unit with the largest bound.
  [[nodiscard]] Resource longest() const;

  /// this + factor * other.
  [[nodiscard]] UnitDemand plus(double factor, const UnitDemand& other) const;
};

/// The longest chain of one CTA's steps by number of loop trips: a line through two exact points.
struct Chain {
  PathTime per_trip = {};
  double base_trips = 0.0;
  PathTime first_tile = {};  ///< of a CTA, with base_trips
  PathTime next_tile = {};   ///< with base_trips, what each later tile of a persistent CTA adds
  double fill_cycles = 0.0;  ///< until the first tensor step of a fresh CTA can start
};

/// How long CTAs that share an SM take for a tile each.
struct TileTime {
  double cycles = 0.0;  ///< the sum of `parts`
  Breakdown parts = {};
  bool is_chain_bound = false;
  Resource longest = Resource::kTensor;
};

class TileModel {
 public:
  /// `most_trips`: of the loop in any tile. The context must outlive the model.
  TileModel(const CostContext& context, std::int64_t most_trips);

  /// A tile each on `copies` CTAs of one SM, 1 <= copies <= ctas_per_sm, start to end. They run in
  /// step: a fair scheduler gives neither an advantage, so they meet at each unit.
  [[nodiscard]] TileTime tile_time(int copies, double trips) const;

  /// Until the first tensor step of a persistent CTA can start; later tiles find their first loads
  /// done. 0 where each tile has a CTA of its own: tile_time() then holds it.
  [[nodiscard]] double first_fill_cycles() const;

  [[nodiscard]] const ProgramCosts& costs() const { return costs_; }

  /// One CTA, one trip of the loop.
  [[nodiscard]] const UnitDemand& per_trip() const { return per_trip_; }

  /// One CTA, prologue and epilogue.
  [[nodiscard]] const UnitDemand& per_tile() const { return per_tile_; }

  [[nodiscard]] const Chain& chain(int copies) const {
    return chains_[static_cast<std::size_t>(copies - 1)];
  }

 private:
  void add_demand(const CostContext& context);
  [[nodiscard]] bool is_of_every_tile(Section section) const;
  [[nodiscard]] Chain find_chain(const CostContext& context, std::int64_t most_trips,
                                 int copies) const;
  [[nodiscard]] double fill_cycles(const Chain& chain) const;
  [[nodiscard]] PathTime chain_time(const Chain& chain, double trips) const;

  const Pipeline& pipeline_;
  ProgramCosts costs_;
  UnitDemand per_trip_;
  UnitDemand per_tile_;
  std::vector<Chain> chains_;  ///< for 1, 2, ... copies
};

}  // namespace fa3prof::sim
