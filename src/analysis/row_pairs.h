// The rows of two reports that speak of the same thing.
#pragma once

#include "src/core/report.h"

#include <vector>

namespace fa3prof::analysis {

/// A row of one report and the same of another; one of them may be missing.
struct RowPair {
  const core::Result* base = nullptr;
  const core::Result* fresh = nullptr;
};

/// Whether there is a row and it has a time.
[[nodiscard]] bool is_timed(const core::Result* row);

/// Whether both are of one kernel on one problem and, when simulated, by one pipeline, machine and
/// engine, or measured on the GPU of the same number where a run measured several.
[[nodiscard]] bool is_same_row(const core::Result& a, const core::Result& b);

/// Rows of `base` in their order, then those that only `fresh` has. Measured rows only, unless
/// neither report measured any; rows that have no time in either report are left out. Throws
/// UsageError naming a row that a report has twice.
[[nodiscard]] std::vector<RowPair> pair_rows(const core::Report& base, const core::Report& fresh);

}  // namespace fa3prof::analysis
