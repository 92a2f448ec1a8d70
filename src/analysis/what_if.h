// Results with changed machines or pipelines beside those without. Not: how that is printed.
#pragma once

#include "src/core/report.h"

#include <optional>
#include <vector>

namespace fa3prof::analysis {

/// A changed result and the one it is set against. Pointers into the report's results.
struct WhatIfRow {
  const core::Result* base = nullptr;
  const core::Result* changed = nullptr;
  std::optional<double> cycles_ratio;  ///< changed / base: 0.5 is half
  std::optional<double> time_ratio;
};

/// A row for each result of a machine or pipeline "... with ...", in the report's order; none
/// without changes.
[[nodiscard]] std::vector<WhatIfRow> what_if_rows(const core::Report& report);

}  // namespace fa3prof::analysis
