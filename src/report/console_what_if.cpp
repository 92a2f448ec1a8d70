#include "src/analysis/what_if.h"
#include "src/core/unit.h"
#include "src/report/console.h"

#include <fmt/format.h>

#include <algorithm>

namespace fa3prof::report {
namespace {

using core::MovedNumber;
using core::Result;
using core::Sensitivity;

std::string whole(double value) { return grouped(value, 0); }

std::string one_decimal(double value) { return grouped(value, 1); }

/// 0.9213: "0.921x".
std::string over_base(double ratio) { return fmt::format("{:.3f}x", ratio); }

std::string text_of(const core::ConfigValue& value) {
  if (const double* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  return std::get<std::string>(value);
}

std::string label_of(const Result& result) {
  return fmt::format("{} on {}", result.pipeline, result.machine);
}

std::vector<std::string> cells_of(const std::string& label, const Result& result) {
  return {label,
          text_or_empty(result.cycles, whole),
          text_or_empty(result.time_us, one_decimal),
          text_or_empty(result.tflops, one_decimal),
          result.limiter,
          "",
          ""};
}

std::string changes_text(const core::Report& report) {
  std::string text;
  for (const core::ValueChange& change : report.what_if) {
    text += fmt::format("changed   {} at {}: {} -> {} ({})\n", change.file, change.pointer,
                        change.from ? text_of(*change.from) : "not stated", text_of(change.to),
                        change.stated);
  }
  return text;
}

std::string moved_text(const MovedNumber& moved) {
  if (!moved.time_ratio) return "cannot run";
  return fmt::format("{:+.2f} %", 100.0 * (*moved.time_ratio - 1.0));
}

void add_sensitivity(Table& table, const Sensitivity& each) {
  const std::string unit = core::unit_of(each.number);
  table.add_row({"  " + each.number, fmt::format("{:.6g}", each.value), unit,
                 fmt::format("{:.6g}", each.lower.value), moved_text(each.lower),
                 fmt::format("{:.6g}", each.upper.value), moved_text(each.upper)});
}

}  // namespace

std::string what_if_text(const core::Report& report, Colour colour) {
  using enum Table::Align;
  Table table({{"", kLeft},
               {"cycles"},
               {"time us"},
               {"TFLOPS"},
               {"limited by", kLeft},
               {"cycles over base"},
               {"time over base"}});
  std::string problem;
  for (const analysis::WhatIfRow& row : analysis::what_if_rows(report)) {
    const std::string text = core::describe(row.base->problem);
    if (text != problem) table.add_line(text, Tone::kHeading);
    problem = text;
    table.add_row(cells_of("  " + label_of(*row.base), *row.base));
    std::vector<std::string> cells = cells_of("  " + label_of(*row.changed), *row.changed);
    cells[cells.size() - 2] = text_or_empty(row.cycles_ratio, over_base);
    cells.back() = text_or_empty(row.time_ratio, over_base);
    const bool is_faster = row.time_ratio.value_or(row.cycles_ratio.value_or(1.0)) < 1.0;
    table.add_row(std::move(cells), is_faster ? Tone::kGood : Tone::kPlain);
  }
  return table.text(colour) + "\n" + changes_text(report) + warnings_text(report, colour);
}

std::string sensitivity_text(const core::Report& report, Colour colour) {
  using enum Table::Align;
  std::string text;
  for (const Result& result : report.results) {
    if (result.sensitivities.empty()) continue;
    Table table({{"sensitivity of the time to", kLeft},
                 {"value"},
                 {"", kLeft},
                 {"less"},
                 {"time"},
                 {"more"},
                 {"time "}});
    table.add_line(fmt::format("{}, {}", label_of(result), core::describe(result.problem)),
                   Tone::kHeading);
    for (const Sensitivity& each : result.sensitivities) add_sensitivity(table, each);
    text += "\n" + table.text(colour);
    for (const Sensitivity& each : result.sensitivities) {
      for (const MovedNumber* side : {&each.lower, &each.upper}) {
        if (side->time_ratio) continue;
        text += fmt::format("cannot run with {} {:.6g}: {}\n", each.number, side->value,
                            side->unsupported_reason);
      }
    }
  }
  return text;
}

}  // namespace fa3prof::report
