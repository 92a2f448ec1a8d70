#include "src/analysis/comparison.h"
#include "src/report/console.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fa3prof::report {
namespace {

using analysis::ProblemComparison;
using analysis::Row;
using core::Result;

std::string whole(double value) { return grouped(value, 0); }

std::string one_decimal(double value) { return grouped(value, 1); }

std::optional<double> of_peak(const Result& result) {
  if (!result.tflops || !result.peak_tflops || *result.peak_tflops <= 0.0) return std::nullopt;
  return *result.tflops / *result.peak_tflops;
}

/// 2.4545: "59.3 % fewer cycles, 2.45x faster".
std::string speedup_phrase(double ratio) {
  const double saved = 1.0 - 1.0 / ratio;
  return fmt::format("{} {} cycles, {} {}", percent(saved < 0.0 ? -saved : saved),
                     saved < 0.0 ? "more" : "fewer", times(ratio),
                     saved < 0.0 ? "as fast" : "faster");
}

void add_pipeline(Table& table, const Row& row) {
  const std::string label = "  " + row.label;
  if (row.simulated == nullptr) {
    table.add_note(label, "measured, but not simulated: no pipeline of this kernel was chosen");
    return;
  }
  const Result& result = *row.simulated;
  if (!result.unsupported_reason.empty()) {
    table.add_note(label, "not supported: " + result.unsupported_reason, Tone::kWarning);
    return;
  }
  table.add_row({label, text_or_empty(result.cycles, whole),
                 text_or_empty(result.time_us, one_decimal),
                 text_or_empty(result.tflops, one_decimal), text_or_empty(of_peak(result), percent),
                 result.limiter, text_or_empty(row.measured_cycles, whole),
                 text_or_empty(row.cycles_deviation_ratio, signed_percent)});
}

std::string pipeline_table(const std::vector<ProblemComparison>& comparisons, Colour colour) {
  using enum Table::Align;
  Table table({{"", kLeft},
               {"cycles"},
               {"time us"},
               {"TFLOPS"},
               {"% of peak"},
               {"limited by", kLeft},
               {"measured cycles"},
               {"deviation"}});
  for (const ProblemComparison& comparison : comparisons) {
    table.add_line(core::describe(comparison.problem), Tone::kHeading);
    for (const Row& row : comparison.rows) add_pipeline(table, row);
    for (const Row& row : comparison.rows) {
      if (!row.speedup || !row.speedup->simulated_cycles_ratio) continue;
      std::string text = speedup_phrase(*row.speedup->simulated_cycles_ratio);
      if (const auto& measured = row.speedup->measured_cycles_ratio) {
        text += fmt::format("; measured {}", times(*measured));
      }
      table.add_note(fmt::format("  {} over {}", row.label, row.speedup->baseline), text,
                     Tone::kGood);
    }
  }
  return table.text(colour);
}

std::string breakdown_table(const ProblemComparison& comparison, Colour colour) {
  std::vector<Table::Column> columns{{"where the cycles go", Table::Align::kLeft}};
  std::vector<std::string> categories;
  for (const Row& row : comparison.rows) {
    columns.push_back({row.label});
    columns.push_back({""});
    if (row.simulated == nullptr) continue;
    for (const core::BreakdownPart& part : row.simulated->breakdown) {
      if (part.cycles > 0.0 && std::ranges::find(categories, part.category) == categories.end()) {
        categories.push_back(part.category);
      }
    }
  }
  if (categories.empty()) return "";
  Table table(columns);
  for (const std::string& category : categories) {
    std::vector<std::string> cells{"  " + category};
    std::ranges::replace(cells.front(), '_', ' ');
    for (const Row& row : comparison.rows) {
      cells.resize(cells.size() + 2);
      if (row.simulated == nullptr || row.simulated->cycles.value_or(0.0) <= 0.0) continue;
      const auto& parts = row.simulated->breakdown;
      const auto part = std::ranges::find(parts, category, &core::BreakdownPart::category);
      if (part == parts.end()) continue;
      cells[cells.size() - 2] = whole(part->cycles);
      cells.back() = percent(part->cycles / *row.simulated->cycles);
    }
    table.add_row(std::move(cells));
  }
  return table.text(colour);
}

std::string terms_table(const ProblemComparison& comparison, Colour colour) {
  using enum Table::Align;
  Table table({{"terms of the formula", kLeft}, {"cycles"}, {"", kLeft}});
  bool has_terms = false;
  for (const Row& row : comparison.rows) {
    if (row.simulated == nullptr || row.simulated->terms.empty()) continue;
    has_terms = true;
    table.add_line("  " + row.label, Tone::kHeading);
    for (const core::Term& term : row.simulated->terms) {
      table.add_row({"    " + term.name, one_decimal(term.cycles), "= " + term.formula});
    }
  }
  return has_terms ? table.text(colour) : "";
}

/// "h200_sxm by closed_form at 1830 MHz (spec); peak 989.4 TFLOPS (spec 1830 MHz)", each once.
std::string model_lines(const core::Report& report) {
  std::set<std::string> lines;
  for (const Result& result : report.results) {
    if (result.source == core::ResultSource::kMeasured) continue;
    if (!result.unsupported_reason.empty()) continue;
    std::string line = fmt::format("{} by {}", result.machine, core::name_of(result.source));
    if (result.clock_mhz) {
      line += fmt::format(", clock {} MHz ({})", whole(*result.clock_mhz), result.clock_basis);
    }
    if (result.peak_tflops) {
      line +=
          fmt::format(", peak {} TFLOPS ({})", one_decimal(*result.peak_tflops), result.peak_basis);
    }
    lines.insert(line);
  }
  std::string text;
  for (const std::string& line : lines) text += fmt::format("model     {}\n", line);
  return text;
}

}  // namespace

std::string simulation_text(const core::Report& report, Detail detail, Colour colour) {
  const auto comparisons = analysis::compare(report.results);
  std::string text = pipeline_table(comparisons, colour);
  if (detail == Detail::kBreakdown) {
    for (const ProblemComparison& comparison : comparisons) {
      const std::string breakdown = breakdown_table(comparison, colour);
      const std::string terms = terms_table(comparison, colour);
      if (breakdown.empty() && terms.empty()) continue;
      text += "\n";
      if (comparisons.size() > 1) {
        text += paint(core::describe(comparison.problem), Tone::kHeading, colour);
        text += "\n";
      }
      text += breakdown;
      text += breakdown.empty() || terms.empty() ? "" : "\n";
      text += terms;
    }
  }
  return text + "\n" + model_lines(report) + warnings_text(report, colour);
}

}  // namespace fa3prof::report
