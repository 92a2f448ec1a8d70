// How much longer a row took in one report than in another.
#pragma once

#include "src/analysis/row_pairs.h"
#include "src/core/report.h"
#include "src/core/statistics.h"

#include <optional>
#include <string>

namespace fa3prof::analysis {

/// New over base, with 95 % intervals; those of simulated rows and of counted cycles are points.
struct RowRatio {
  std::optional<core::RatioInterval> time = std::nullopt;
  std::optional<core::RatioInterval> cycles = std::nullopt;
  std::string cycles_basis = {};  ///< "sampled", "counted" or "simulated"; empty without cycles
};

/// Both rows must be there and have a time. Of measured rows the intervals are
/// core::bootstrap_ratio over all raw samples; the cycles of a sample are its time by its SM clock,
/// and where a clock is missing those that the counters saw in one launch.
[[nodiscard]] RowRatio ratio_of(const RowPair& pair);

/// The same in units of each GPU's dense tensor peak: what the tensor cores could have done
/// meanwhile. Throws UsageError where a report does not know its peak.
[[nodiscard]] RowRatio normalised_by_peak(const RowRatio& ratio, const RowPair& pair,
                                          const core::Report& base, const core::Report& fresh);

}  // namespace fa3prof::analysis
