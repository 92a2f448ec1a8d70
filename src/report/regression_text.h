// The verdict on two builds for people, for a pull request, and for other programs.
#pragma once

#include "src/analysis/regression.h"
#include "src/core/json_reader.h"
#include "src/report/row_text.h"
#include "src/report/table.h"

#include <string>
#include <vector>

namespace fa3prof::report {

/// Two reports, what comparing them found, and what a reader should know of it.
struct RegressionView {
  const NamedReport& base;
  const NamedReport& fresh;
  const analysis::Regression& regression;
  std::vector<std::string> warnings = {};
};

/// What `fa3prof compare` prints: the reports, a line per row with the worst first, the sum.
///
///   verdict  kernel  problem                          base us   new us  time                   ...
///   slower   fa3     fp16 b2 h16 sq8192 skv8192 d128  1,500.0  1,575.0  +5.0 % (+4.8 to +5.2)  ...
[[nodiscard]] std::string regression_text(const RegressionView& view, Colour colour);

/// The same as GitHub Markdown, to be the comment on a pull request: the sum first, then all rows.
[[nodiscard]] std::string regression_markdown(const RegressionView& view);

/// The same with all digits; its layout is in configs/schemas/compare.schema.json.
[[nodiscard]] core::Json regression_json(const RegressionView& view);

/// Each row as a test case of JUnit: slower and broken ones have failed, missing and inconclusive
/// ones were skipped.
[[nodiscard]] std::string regression_junit(const RegressionView& view);

}  // namespace fa3prof::report
