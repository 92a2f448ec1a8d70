// Runs a program with every unit free at once: only the order of steps, barriers and stages hold a
// role back. What comes out is the longest chain of dependent steps. Not: contention for units.
#pragma once

#include "sim/path_time.h"
#include "sim/pipeline.h"
#include "sim/step_costs.h"

#include <optional>
#include <string>
#include <vector>

namespace fa3prof::sim {

struct PathRequest {
  int tiles = 1;   ///< output tiles one after the other on the same barriers
  int trips = 0;   ///< of the loop in each tile
  int copies = 1;  ///< CTAs that do the same on the SM at the same time
};

struct PathResult {
  std::vector<PathTime> tile_ends;   ///< when the last role instance leaves each tile, or its cross
  double fill_cycles = 0.0;          ///< until the first tensor step can start
  std::optional<std::string> stuck;  ///< who waits for what for ever; then tile_ends is incomplete
};

[[nodiscard]] PathResult run_uncontended(const Pipeline& pipeline, const SizeScope& scope,
                                         const ProgramCosts& costs, const PathRequest& request);

}  // namespace fa3prof::sim
