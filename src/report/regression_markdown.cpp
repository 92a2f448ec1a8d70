#include "src/report/markdown_cell.h"
#include "src/report/regression_cells.h"

#include <fmt/format.h>

#include <algorithm>

namespace fa3prof::report {
namespace {

using analysis::Regression;

/// What the comment is about, for those who read no further.
std::string heading_of(const Regression& regression) {
  if (regression.has_regression()) return "### Slower";
  return regression.is_undecided() ? "### Not decided" : "### No regression";
}

std::string table_text(const std::vector<RegressionCells>& rows) {
  std::string head = "|";
  std::string rule = "|";
  std::vector<std::string> lines(rows.size(), "|");
  for (std::size_t i = 0; i < kRegressionHeadings.size(); ++i) {
    const auto is_empty = [i](const RegressionCells& cells) { return cells.at(i).empty(); };
    if (std::ranges::all_of(rows, is_empty)) continue;
    const std::string heading = kRegressionHeadings.at(i);
    head += " " + heading + " |";
    rule += heading.ends_with(" us") ? "---:|" : "---|";
    for (std::size_t row = 0; row < rows.size(); ++row) {
      lines[row] += " " + markdown_escaped(rows[row].at(i)) + " |";
    }
  }
  std::string text = head + "\n" + rule + "\n";
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace

std::string regression_markdown(const RegressionView& view) {
  std::vector<RegressionCells> rows;
  for (const auto& row : view.regression.rows) rows.push_back(regression_cells(row));
  std::string text = fmt::format("{}\n\n{}\n\n{}\n- base {}\n- new {}\n",
                                 heading_of(view.regression), regression_sum(view.regression),
                                 table_text(rows), markdown_escaped(origin_text(view.base)),
                                 markdown_escaped(origin_text(view.fresh)));
  for (const std::string& warning : view.warnings) {
    text += "- warning: " + markdown_escaped(warning) + "\n";
  }
  return text;
}

}  // namespace fa3prof::report
