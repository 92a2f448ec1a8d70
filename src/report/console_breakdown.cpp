#include "src/analysis/comparison.h"
#include "src/analysis/stage_breakdown.h"
#include "src/report/console.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace fa3prof::report {
namespace {

using analysis::Row;
using core::Result;

/// 0.0291: "+2.9".
std::string points(double difference) {
  const double rounded = std::round(difference * 1e3) / 10.0;
  return rounded == 0.0 ? "0.0" : fmt::format("{:+.1f}", rounded);
}

std::string row_table(const Row& row, Colour colour) {
  Table table({{"where the cycles go", Table::Align::kLeft},
               {row.label + " measured"},
               {"simulated"},
               {"difference"}});
  const core::Result alone;
  const core::Result& model = row.simulated == nullptr ? alone : *row.simulated;
  const auto shares = analysis::compare_shares(*row.measured, model);
  const auto label = [](std::string category) {
    std::ranges::replace(category, '_', ' ');
    return "  " + category;
  };
  for (const analysis::ShareComparison& share : shares) {
    table.add_row({label(share.category), percent(share.measured_ratio),
                   percent(share.simulated_ratio), points(share.difference_ratio())});
  }
  if (!shares.empty()) return table.text(colour);
  for (const core::BreakdownPart& part : row.measured->breakdown) {
    table.add_row({label(part.category), percent(part.cycles / *row.measured_cycles), "", ""});
  }
  return table.text(colour);
}

std::string trace_line(const Result& result) {
  const core::TraceSummary& trace = *result.trace;
  const bool is_one = trace.ctas.size() == 1;
  std::string line = fmt::format(
      "traced    {}: CTA{} {}; launch {}, {} us with stamps, {} without", result.kernel,
      is_one ? "" : "s", fmt::join(trace.ctas, ", "),
      signed_percent(trace.timed_us > 0.0 ? trace.traced_us / trace.timed_us - 1.0 : 0.0),
      grouped(trace.traced_us, 1), grouped(trace.timed_us, 1));
  if (trace.cta_loss_ratio) {
    line += fmt::format("; {} {} cycles per key block over the others", is_one ? "it" : "these",
                        signed_percent(*trace.cta_loss_ratio));
  }
  if (trace.dropped_records > 0) {
    line +=
        fmt::format("; {} records dropped", grouped(static_cast<double>(trace.dropped_records), 0));
  }
  return line + "\n";
}

}  // namespace

std::string breakdown_text(const core::Report& report, Colour colour) {
  std::string text;
  const auto comparisons = analysis::compare(report.results);
  for (const analysis::ProblemComparison& comparison : comparisons) {
    for (const Row& row : comparison.rows) {
      if (row.measured == nullptr || !row.measured->trace || !row.measured_cycles) continue;
      text += "\n";
      if (comparisons.size() > 1) {
        text += paint(core::describe(comparison.problem), Tone::kHeading, colour) + "\n";
      }
      text += row_table(row, colour) + trace_line(*row.measured);
    }
  }
  return text;
}

}  // namespace fa3prof::report
