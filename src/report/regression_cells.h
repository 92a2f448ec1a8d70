// What a table of verdicts holds, whatever it is drawn with.
#pragma once

#include "src/report/regression_text.h"

#include <array>
#include <string>

namespace fa3prof::report {

inline constexpr std::array kRegressionHeadings{"verdict", "kernel", "problem", "base us",
                                                "new us",  "time",   "cycles",  "note"};

/// One text for each heading; empty where there is nothing to say.
using RegressionCells = std::array<std::string, kRegressionHeadings.size()>;

[[nodiscard]] RegressionCells regression_cells(const analysis::RegressionRow& row);

/// "base.json: NVIDIA H200, 2026-11-30T12:00:00Z, fa3prof 0.1.0 (0123456789)"
[[nodiscard]] std::string origin_text(const NamedReport& named);

/// "1 slower, 3 same, 1 faster; more than 3.0 % is a regression": verdicts that some row has.
[[nodiscard]] std::string regression_sum(const analysis::Regression& regression);

}  // namespace fa3prof::report
