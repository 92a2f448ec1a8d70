#include "src/analysis/comparison.h"
#include "src/report/markdown_cell.h"
#include "src/report/row_text.h"
#include "src/report/speedup_text.h"
#include "src/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace fa3prof::report {
namespace {

using analysis::Row;
using core::Result;

constexpr std::array kHeadings{"problem",   "kernel",    "time us",       "TFLOPS",
                               "% of peak", "SM cycles", "tensor active", "simulated cycles",
                               "deviation", "speed",     "note"};
constexpr std::size_t kTextColumns = 2;  // the first ones and the last are words

using Cells = std::array<std::string, kHeadings.size()>;

std::string one_decimal(double value) { return grouped(value, 1); }

std::string whole(double value) { return grouped(value, 0); }

std::optional<double> of_peak(const Result& result) {
  if (!result.tflops || !result.peak_tflops || *result.peak_tflops <= 0.0) return std::nullopt;
  return *result.tflops / *result.peak_tflops;
}

std::string speed_text(const Row& row) {
  if (!row.speedup) return "";
  std::string ratio = time_ratio_text(*row.speedup);
  if (ratio.empty()) ratio = text_or_empty(row.speedup->simulated_time_ratio, times);
  return ratio.empty() ? "" : ratio + " " + markdown_escaped(row.speedup->baseline);
}

std::string note_of(const Result& result) {
  if (!result.unsupported_reason.empty()) return "not run: " + result.unsupported_reason;
  const bool has_failed = result.verification && !result.verification->passed;
  return has_failed ? "failed verification: " + result.verification->failure : "";
}

Cells cells_of(const Row& row, const core::AttentionProblem& problem) {
  const Result& any = row.measured != nullptr ? *row.measured : *row.simulated;
  Cells cells{core::describe(problem), markdown_escaped(row.label)};
  if (row.measured != nullptr) {
    const Result& measured = *row.measured;
    cells[2] = text_or_empty(measured.time_us, one_decimal);
    cells[3] = text_or_empty(measured.tflops, one_decimal);
    cells[4] = text_or_empty(of_peak(measured), percent);
    cells[5] = text_or_empty(row.measured_cycles, whole);
    cells[6] = text_or_empty(measured.counters.find(core::kTensorActiveRatio), percent);
  }
  if (row.simulated != nullptr) cells[7] = text_or_empty(row.simulated->cycles, whole);
  cells[8] = text_or_empty(row.cycles_deviation_ratio, signed_percent);
  cells[9] = speed_text(row);
  cells[10] = markdown_escaped(note_of(any));
  return cells;
}

std::string table_text(const std::vector<Cells>& rows) {
  std::array<std::string, 2> head{"|", "|"};
  std::vector<std::string> lines(rows.size(), "|");
  for (std::size_t i = 0; i < kHeadings.size(); ++i) {
    const auto is_empty = [i](const Cells& cells) { return cells.at(i).empty(); };
    if (std::ranges::all_of(rows, is_empty)) continue;
    const bool is_text = i < kTextColumns || i + 1 == kHeadings.size();
    head[0] += fmt::format(" {} |", kHeadings.at(i));
    head[1] += is_text ? "---|" : "---:|";
    for (std::size_t row = 0; row < rows.size(); ++row) lines[row] += " " + rows[row].at(i) + " |";
  }
  std::string text = head[0] + "\n" + head[1] + "\n";
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// Where and when, in one line.
std::string origin_of(const core::Report& report) {
  const core::Environment& environment = report.environment;
  std::string text = environment.gpu ? markdown_escaped(environment.gpu->name) : "simulated";
  if (!environment.driver.empty()) text += ", driver " + markdown_escaped(environment.driver);
  return fmt::format("{}, {}, fa3prof {} ({})\n", text, report.created_at, environment.tool_version,
                     environment.tool_commit);
}

/// Each warning once, with the number of results that have it.
std::string warnings_of(const core::Report& report) {
  std::vector<std::pair<std::string, std::size_t>> warnings;
  for (const Result& result : report.results) {
    for (const std::string& warning : result.warnings) {
      const auto known =
          std::ranges::find(warnings, warning, [](const auto& w) { return w.first; });
      if (known == warnings.end()) {
        warnings.emplace_back(warning, 1);
      } else {
        ++known->second;
      }
    }
  }
  std::string text;
  for (const std::string& warning : report.warnings)
    text += "- " + markdown_escaped(warning) + "\n";
  for (const auto& [warning, rows] : warnings) {
    text += fmt::format("- {} ({} row{})\n", markdown_escaped(warning), rows, rows == 1 ? "" : "s");
  }
  return text.empty() ? "" : "\nWarnings:\n\n" + text;
}

}  // namespace

std::string markdown_text(const std::vector<NamedReport>& reports) {
  std::string text;
  for (const NamedReport& named : reports) {
    std::vector<Cells> rows;
    for (const analysis::ProblemComparison& comparison : analysis::compare(named.report.results)) {
      for (const Row& row : comparison.rows) rows.push_back(cells_of(row, comparison.problem));
    }
    text += fmt::format("{}### {}\n\n{}\n", text.empty() ? "" : "\n", markdown_escaped(named.name),
                        origin_of(named.report));
    text += table_text(rows) + warnings_of(named.report);
  }
  return text;
}

}  // namespace fa3prof::report
