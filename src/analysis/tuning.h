// What `fa3prof tune` has found: the search and how its ranking held.
#pragma once

#include "sim/tune.h"
#include "src/analysis/ranking.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace fa3prof::analysis {

struct TuneFindings {
  std::vector<sim::Tuning> tunings;  ///< by problem
  std::size_t shown = 10;            ///< of each, the best
  std::optional<Ranking> ranking;    ///< where something was measured
  std::string measured_by;           ///< "NVIDIA H200" or the reports' files
  std::vector<std::string> warnings;
};

}  // namespace fa3prof::analysis
