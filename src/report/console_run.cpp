#include "src/analysis/comparison.h"
#include "src/report/console.h"
#include "src/report/console_notes.h"
#include "src/report/speedup_text.h"

#include <fmt/format.h>

namespace fa3prof::report {
namespace {

using analysis::ProblemComparison;
using analysis::Row;
using core::Result;

std::string one_decimal(double value) { return grouped(value, 1); }

std::string whole(double value) { return grouped(value, 0); }

std::optional<double> of_peak(const Result& result) {
  if (!result.tflops || !result.peak_tflops || *result.peak_tflops <= 0.0) return std::nullopt;
  return *result.tflops / *result.peak_tflops;
}

/// Beside the kernel's name, which a plugin's reason begins with: "mine: takes fp16 only".
std::string reason_of(const Result& result) {
  const std::string& reason = result.unsupported_reason;
  const std::string prefix = result.kernel + ": ";
  return reason.starts_with(prefix) ? reason.substr(prefix.size()) : reason;
}

void add_kernel(Table& table, const Row& row) {
  const std::string label = "  " + row.label;
  if (row.measured == nullptr) {
    table.add_row({label, "", "", "", "", "", text_or_empty(row.simulated->cycles, whole), ""});
    return;
  }
  const Result& measured = *row.measured;
  if (!measured.unsupported_reason.empty()) {
    table.add_note(label, "not supported: " + reason_of(measured), Tone::kWarning);
    return;
  }
  if (measured.verification && !measured.verification->passed) {
    table.add_note(label, "FAILED verification: " + measured.verification->failure, Tone::kBad);
    return;
  }
  const bool is_counted = measured.cycles.has_value();
  table.add_row(
      {label, text_or_empty(measured.time_us, one_decimal),
       text_or_empty(measured.tflops, one_decimal), text_or_empty(of_peak(measured), percent),
       text_or_empty(row.measured_cycles, whole) + (row.measured_cycles && !is_counted ? "*" : ""),
       text_or_empty(measured.counters.find(core::kTensorActiveRatio), percent),
       row.simulated == nullptr ? "" : text_or_empty(row.simulated->cycles, whole),
       text_or_empty(row.cycles_deviation_ratio, signed_percent)});
}

void add_speedup(Table& table, const Row& row) {
  const analysis::Speedup& speedup = *row.speedup;
  const auto& measured = speedup.measured_cycles_ratio;
  const auto& simulated = speedup.simulated_cycles_ratio;
  if (!speedup.measured_time_ratio && !simulated) return;
  std::optional<double> deviation;
  if (measured && simulated) deviation = *simulated / *measured - 1.0;
  table.add_row({fmt::format("  {} over {}", row.label, speedup.baseline), time_ratio_text(speedup),
                 "", "", text_or_empty(measured, times), "", text_or_empty(simulated, times),
                 text_or_empty(deviation, signed_percent)},
                Tone::kGood);
}

std::string result_table(const std::vector<ProblemComparison>& comparisons, Colour colour) {
  using enum Table::Align;
  Table table({{"", kLeft},
               {"time us"},
               {"TFLOPS"},
               {"% of peak"},
               {"SM cycles"},
               {"tensor active"},
               {"simulated cycles"},
               {"deviation"}});
  for (const ProblemComparison& comparison : comparisons) {
    table.add_line(core::describe(comparison.problem), Tone::kHeading);
    for (const Row& row : comparison.rows) add_kernel(table, row);
    for (const Row& row : comparison.rows) {
      if (row.speedup) add_speedup(table, row);
    }
  }
  return table.text(colour);
}

std::string gpu_line(const core::Environment& environment) {
  std::string line = "fa3prof " + environment.tool_version;
  if (const auto& gpu = environment.gpu) {
    line += fmt::format(" on {}: {} SMs, up to {} MHz", gpu->name, gpu->sm_count,
                        whole(gpu->max_sm_clock_mhz));
    if (gpu->power_limit_watts > 0.0) line += fmt::format(", {} W", whole(gpu->power_limit_watts));
  }
  if (!environment.driver.empty()) line += ", driver " + environment.driver;
  return line;
}

}  // namespace

std::string run_text(const core::Report& report, Colour colour) {
  return paint(gpu_line(report.environment), Tone::kHeading, colour) + "\n\n" +
         result_table(analysis::compare(report.results), colour) + "\n" +
         notes_text(report, colour) + warnings_text(report, colour);
}

}  // namespace fa3prof::report
