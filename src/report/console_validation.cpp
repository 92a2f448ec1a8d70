#include "src/report/console.h"

#include <fmt/format.h>

namespace fa3prof::report {
namespace {

using analysis::ErrorSummary;
using analysis::Row;

std::string place(const Row& row) { return core::describe(row.measured->problem); }

void add_summary(Table& table, const std::string& label, const ErrorSummary& summary) {
  const std::string kernel = summary.label.empty() ? summary.worst.measured->kernel + ", " : "";
  table.add_row({"  " + label, grouped(static_cast<double>(summary.rows), 0),
                 signed_percent(summary.mean_signed_ratio), percent(summary.mean_absolute_ratio),
                 signed_percent(*summary.worst.cycles_deviation_ratio),
                 kernel + place(summary.worst)});
}

std::string omitted_table(const analysis::Validation& validation, Colour colour) {
  if (validation.omitted.empty()) return "";
  Table table({{""}, {"", Table::Align::kLeft}, {"", Table::Align::kLeft}});
  const std::size_t count = validation.omitted.size();
  table.add_line(fmt::format("not compared: {} {}", count, count == 1 ? "row" : "rows"),
                 Tone::kWarning);
  for (const analysis::OmittedRow& omitted : validation.omitted) {
    table.add_row({"  " + omitted.row.label, place(omitted.row), omitted.reason});
  }
  return table.text(colour);
}

}  // namespace

std::string validation_text(const analysis::Validation& validation, Colour colour) {
  std::string text;
  if (validation.overall) {
    Table table({{"cycles, simulated over counted"},
                 {"rows"},
                 {"mean error"},
                 {"mean |error|"},
                 {"largest error"},
                 {"of", Table::Align::kLeft}});
    for (const ErrorSummary& kernel : validation.kernels) add_summary(table, kernel.label, kernel);
    if (validation.kernels.size() > 1) add_summary(table, "all", *validation.overall);
    text += table.text(colour);
  }
  return text + omitted_table(validation, colour);
}

std::vector<std::string> validation_failures(const analysis::Validation& validation) {
  if (!validation.overall) {
    return {"nothing was compared: no row was both simulated and measured with counted cycles"};
  }
  std::vector<std::string> failures;
  const ErrorSummary& overall = *validation.overall;
  if (validation.exceeds_mean()) {
    failures.push_back(fmt::format("the mean absolute error of {} rows is {}, above --max-mape {}",
                                   overall.rows, percent(overall.mean_absolute_ratio),
                                   percent(*validation.limits.mean_absolute_ratio)));
  }
  if (validation.exceeds_max()) {
    failures.push_back(fmt::format("the error of {} on {} is {}, above --max-error {}",
                                   overall.worst.label, place(overall.worst),
                                   signed_percent(*overall.worst.cycles_deviation_ratio),
                                   percent(*validation.limits.max_absolute_ratio)));
  }
  return failures;
}

}  // namespace fa3prof::report
