#include "src/report/regression_cells.h"
#include "src/report/table.h"

#include <algorithm>

namespace fa3prof::report {
namespace {

using analysis::RegressionRow;
using analysis::Verdict;
using Align = Table::Align;

Tone tone_of(const RegressionRow& row) {
  if (row.is_broken || row.verdict == Verdict::kSlower) return Tone::kBad;
  if (row.verdict == Verdict::kFaster) return Tone::kGood;
  return row.verdict == Verdict::kSame ? Tone::kPlain : Tone::kWarning;
}

/// Words are aligned to the left, changes too: their intervals differ in length.
std::vector<Table::Column> columns() {
  std::vector<Table::Column> list;
  for (const std::string heading : kRegressionHeadings) {
    list.push_back({heading, heading.ends_with(" us") ? Align::kRight : Align::kLeft});
  }
  return list;
}

}  // namespace

std::string regression_text(const RegressionView& view, Colour colour) {
  Table table(columns());
  for (const RegressionRow& row : view.regression.rows) {
    const RegressionCells cells = regression_cells(row);
    table.add_row({cells.begin(), cells.end()}, tone_of(row));
  }
  std::string text =
      "base  " + origin_text(view.base) + "\nnew   " + origin_text(view.fresh) + "\n\n";
  text += table.text(colour) + "\n" + regression_sum(view.regression) + "\n";
  for (const std::string& warning : view.warnings) {
    text += paint("warning", Tone::kWarning, colour) + "  " + warning + "\n";
  }
  return text;
}

}  // namespace fa3prof::report
