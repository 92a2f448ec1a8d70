// The event engine's answer for a whole problem: tiles run event by event on an SM, the grid placed
// tile by tile on the chip. docs/model.md describes what it knows and what it leaves out.
#pragma once

#include "sim/breakdown.h"
#include "sim/closed_form.h"
#include "sim/step_costs.h"
#include "src/core/result.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace fa3prof::sim {

/// One simulation.
struct DiscreteEvent {
  double longest_tile_cycles = 0.0;  ///< of one between two others
  std::int64_t longest_tile_blocks = 0;
  std::int64_t tiles = 0;
  double makespan_cycles = 0.0;
  double launch_cycles = 0.0;
  double memory_bytes = 0.0;  ///< read and written, with what L2 cannot keep
  double hbm_cycles = 0.0;    ///< for these bytes; 0: no rate stated
  Breakdown breakdown;
  double cycles = 0.0;       ///< the sum of the breakdown
  std::string_view limiter;  ///< "tensor", "hbm", or the largest part of the rest
};

/// The result in steps: a tile, all tiles, the total.
[[nodiscard]] std::vector<core::Term> describe_terms(const ClosedFormInputs& inputs,
                                                     const DiscreteEvent& run);

/// Throws UsageError for more tiles than can be placed one by one, and for a deadlock.
[[nodiscard]] DiscreteEvent evaluate_discrete_event(const CostContext& context,
                                                    const ClosedFormInputs& inputs,
                                                    const TileSizes& sizes);

}  // namespace fa3prof::sim
