// The history of kernels for people and for pages.
#pragma once

#include "src/analysis/history.h"
#include "src/core/json_reader.h"
#include "src/report/row_text.h"
#include "src/report/table.h"

#include <string>
#include <vector>

namespace fa3prof::report {

/// Reports in the order of time, and what became of their kernels.
struct HistoryView {
  const std::vector<NamedReport>& reports;
  const std::vector<analysis::HistorySeries>& series;
  double max_regression_ratio = 0.0;
  std::vector<std::string> warnings = {};
};

/// What `fa3prof history` prints: under its conditions a line for each series, and below that one
/// for each change.
///
///   series                               reports  first us  last us  since first
///   NVIDIA H200, 132 SMs, 1980 MHz, 700 W, warm L2, method 0123456789abcdef
///   fa3 fp16 b2 h16 sq8192 skv8192 d128        9   1,500.0  1,410.0       -6.0 %
///     -6.1 % since night7, 2026-11-30T12:00:00Z, commit 0123456789
[[nodiscard]] std::string history_text(const HistoryView& view, Colour colour);

/// The same as GitHub Markdown; the changes are a column.
[[nodiscard]] std::string history_markdown(const HistoryView& view);

/// One page that opens without a network: every series over the reports with its changes marked.
[[nodiscard]] std::string history_html(const HistoryView& view);

/// Every point of every series; its layout is in configs/schemas/history.schema.json.
[[nodiscard]] core::Json history_json(const HistoryView& view);

}  // namespace fa3prof::report
