#include "src/report/history_text.h"

#include "tests/catch.h"
#include "tests/golden/example_report.h"
#include "tests/golden/golden.h"

using namespace fa3prof;
using namespace fa3prof::report;
using namespace fa3prof::tests;

TEST_CASE("The history of two kernels is the golden one in every format", "[report]") {
  std::vector<NamedReport> reports;
  for (const double time_us : {1700.0, 1702.0, 1699.0, 1701.0, 1600.0, 1602.0, 1599.0, 1601.0}) {
    core::Report report = example_report();
    report.created_at = "2026-11-2" + std::to_string(reports.size()) + "T12:00:00Z";
    report.results = {measured_result("fa3", time_us), measured_result("fa2", 3000.0)};
    reports.push_back({.name = "night|" + std::to_string(reports.size()), .report = report});
  }
  std::vector<const core::Report*> pointers;
  for (const NamedReport& named : reports) pointers.push_back(&named.report);
  const auto series = analysis::history_of(pointers, 0.03);
  const HistoryView view{.reports = reports,
                         .series = series,
                         .max_regression_ratio = 0.03,
                         .warnings = {"left out, no report: x.json"}};
  check_golden("history.txt", history_text(view, Colour::kNever));
  check_golden("history.md", history_markdown(view));
  core::Json document = history_json(view);
  document.erase("tool_version");  // of the build
  document.erase("tool_commit");
  check_golden("history.json", document.dump(2) + "\n");
}
