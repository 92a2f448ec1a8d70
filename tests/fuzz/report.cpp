// A report of anybody's, as report, compare, merge, history and simulate --against take it.
#include "src/core/report.h"

#include "src/analysis/comparability.h"
#include "src/analysis/history.h"
#include "src/analysis/merge.h"
#include "src/analysis/regression.h"
#include "src/analysis/validation.h"
#include "src/core/error.h"
#include "src/report/benchmark_services.h"
#include "src/report/console.h"
#include "src/report/history_text.h"
#include "src/report/html.h"
#include "src/report/json.h"
#include "src/report/junit.h"
#include "src/report/openmetrics.h"
#include "src/report/regression_text.h"
#include "src/report/row_text.h"
#include "tests/fuzz/targets.h"

#include <functional>
#include <vector>

namespace fa3prof::fuzz {
namespace {

constexpr double kMaxRegressionRatio = 0.03;

void compare(const report::NamedReport& named) {
  const auto regression =
      analysis::find_regressions(named.report, named.report, {.normalises_by_peak = false});
  const report::RegressionView view{.base = named, .fresh = named, .regression = regression};
  static_cast<void>(analysis::condition_differences(named.report, named.report));
  static_cast<void>(report::regression_text(view, report::Colour::kAlways));
  static_cast<void>(report::regression_markdown(view));
  static_cast<void>(report::regression_junit(view));
  static_cast<void>(report::to_text(report::regression_json(view)));
}

void follow(const report::NamedReport& named) {
  const std::vector<report::NamedReport> reports(2, named);
  const std::vector<const core::Report*> pointers{&reports.front().report, &reports.back().report};
  const auto series = analysis::history_of(pointers, kMaxRegressionRatio);
  const report::HistoryView view{
      .reports = reports, .series = series, .max_regression_ratio = kMaxRegressionRatio};
  static_cast<void>(analysis::in_time(pointers));
  static_cast<void>(report::history_text(view, report::Colour::kAlways));
  static_cast<void>(report::history_markdown(view));
  static_cast<void>(report::to_text(report::history_json(view)));
}

void validate(const report::NamedReport& named) {
  const auto comparisons = analysis::compare(named.report.results);
  const auto validation = analysis::validation_of(comparisons, {.max_absolute_ratio = 0.1});
  static_cast<void>(report::validation_text(validation, report::Colour::kAlways));
  static_cast<void>(report::to_text(report::to_json(named.report, validation)));
}

void print(const report::NamedReport& named) {
  static_cast<void>(report::run_text(named.report, report::Colour::kAlways));
  static_cast<void>(report::fleet_text(named.report, report::Colour::kAlways));
  static_cast<void>(report::breakdown_text(named.report, report::Colour::kAlways));
  static_cast<void>(report::ablation_text(named.report, report::Colour::kAlways));
  static_cast<void>(
      report::simulation_text(named.report, report::Detail::kBreakdown, report::Colour::kAlways));
  static_cast<void>(report::what_if_text(named.report, report::Colour::kAlways));
  static_cast<void>(report::sensitivity_text(named.report, report::Colour::kAlways));
}

void convert(const report::NamedReport& named) {
  const std::vector<report::NamedReport> reports{named};
  static_cast<void>(report::csv_text(reports));
  static_cast<void>(report::markdown_text(reports));
  static_cast<void>(report::openmetrics_text(reports));
  static_cast<void>(report::junit_text(reports));
}

void serve(const report::NamedReport& named) {
  const std::vector<report::NamedReport> reports{named};
  static_cast<void>(report::github_benchmark_text(reports, report::BenchmarkMetric::kTflops));
  static_cast<void>(report::bencher_text(reports));
}

/// Not the whole page, a megabyte of script that is always the same.
void show(const report::NamedReport& named) {
  static_cast<void>(report::script_safe_text(
      report::page_document({{.name = named.name, .report = named.report}})));
}

void merge(const report::NamedReport& named) {
  const bool is_partial = true;
  static_cast<void>(
      report::to_text(report::to_json(analysis::merge({{named.name, named.report}}, is_partial))));
}

}  // namespace

void take_report(std::string_view bytes) {
  const report::NamedReport named{.name = "report",
                                  .report = report::parse_report(bytes, "report.json")};
  // What can be read can be written, and read again.
  const std::string text = report::to_text(report::to_json(named.report));
  static_cast<void>(report::parse_report(text, "report.json, written again"));
  const std::vector<std::function<void(const report::NamedReport&)>> uses{
      compare, follow, validate, print, convert, serve, show, merge};
  for (const auto& use : uses) {
    try {
      use(named);
    } catch (const core::Error&) {  // of no concern to the other verbs
    }
  }
}

}  // namespace fa3prof::fuzz
