#include "src/report/console.h"

#include "tests/catch.h"
#include "tests/golden/example_report.h"
#include "tests/golden/golden.h"

using namespace fa3prof;
using namespace fa3prof::report;
using namespace fa3prof::tests;

TEST_CASE("The table of a run is the golden one", "[report]") {
  check_golden("run.txt", run_text(example_report(), Colour::kNever));
}

TEST_CASE("The table of a run with colour is the golden one", "[report]") {
  check_golden("run_colour.txt", run_text(example_report(), Colour::kAlways));
}

TEST_CASE("The tables of a simulation are the golden ones", "[report]") {
  core::Report report = example_report();
  check_golden("simulation_against.txt",
               simulation_text(report, Detail::kBreakdown, Colour::kNever));
  report.results.erase(report.results.begin(), report.results.begin() + 2);
  check_golden("simulation.txt", simulation_text(report, Detail::kBreakdown, Colour::kNever));
  CHECK_THAT(simulation_text(report, Detail::kSummary, Colour::kNever),
             !contains("where the cycles go"));
}

TEST_CASE("What a comparison sums up to is the golden text", "[report]") {
  const core::Report report = compared_report();
  const auto comparisons = analysis::compare(report.results);
  check_golden("validation.txt",
               validation_text(analysis::validation_of(comparisons, {}), Colour::kNever));
}

TEST_CASE("A comparison fails by each limit that it exceeds, and where it compared nothing",
          "[report]") {
  const core::Report report = compared_report();
  const auto failures = [&report](const analysis::ErrorLimits& limits) {
    const auto comparisons = analysis::compare(report.results);
    return validation_failures(analysis::validation_of(comparisons, limits));
  };
  CHECK(failures({}).empty());
  CHECK(failures({.mean_absolute_ratio = 0.04, .max_absolute_ratio = 0.06}).empty());
  const auto both = failures({.mean_absolute_ratio = 0.03, .max_absolute_ratio = 0.05});
  REQUIRE(both.size() == 2);
  CHECK_THAT(both[0], contains("2 rows is 3.8 %, above --max-mape 3.0 %"));
  CHECK_THAT(both[1], contains("fa2 on fp16 b2 h16 sq8192 skv8192 d128 is -5.1 %"));
  const auto nothing = validation_failures(analysis::validation_of({}, {}));
  REQUIRE(nothing.size() == 1);
  CHECK_THAT(nothing[0], contains("nothing was compared"));
}

TEST_CASE("A kernel that failed verification is named, and its speed is not shown", "[report]") {
  core::Report report = example_report();
  core::Result& failed = report.results[1];
  failed.verification->passed = false;
  failed.verification->failure = "12 of 512 rows hold NaN";
  failed.time_us.reset();
  failed.tflops.reset();
  failed.cycles.reset();
  failed.timing.reset();
  failed.clocks.reset();
  failed.counters = {};
  const std::string text = run_text(report, Colour::kNever);
  CHECK_THAT(text, contains("fa3           FAILED verification: 12 of 512 rows hold NaN"));
  CHECK_THAT(text, !contains("1,724.8"));
  CHECK_THAT(text, !contains("fa3 error"));
}

TEST_CASE("A problem that a kernel does not support is a row with the reason", "[report]") {
  core::Report report = example_report();
  core::Result unsupported;
  unsupported.kernel = "fa3";
  unsupported.problem = example_problem();
  unsupported.problem.head_dim = 96;
  unsupported.unsupported_reason = "fa3 has no head_dim 96; it has 128";
  report.results = {unsupported};
  CHECK_THAT(run_text(report, Colour::kNever),
             contains("not supported: fa3 has no head_dim 96; it has 128"));
}

TEST_CASE("What ended the rounds is said beside their number", "[report]") {
  core::Report report = example_report();
  const auto text_with = [&report](const std::string& stopped_by) {
    for (core::Result& result : report.results) {
      if (result.timing) result.timing->stopped_by = stopped_by;
    }
    return run_text(report, Colour::kNever);
  };
  CHECK_THAT(text_with("intervals"), contains("enough for +-1.0 %, ratios included"));
  CHECK_THAT(text_with("limit"), contains("the limit came before +-1.0 %, ratios included"));
  for (core::Result& result : report.results) {
    if (result.timing) result.timing->target_ci95_ratio.reset();
  }
  CHECK_THAT(text_with("request"), !contains("ratios included"));
}

TEST_CASE("Unavailable counters are reported once, with reason and cure", "[report]") {
  core::Report report = example_report();
  for (core::Result& result : report.results) {
    if (result.source != core::ResultSource::kMeasured) continue;
    result.counters = {};
    result.counters.status = core::Counters::Status::kUnavailable;
    result.counters.reason = "no permission";
    result.counters.cure = "set NVreg_RestrictProfilingToAdminUsers=0";
    result.cycles.reset();
  }
  const std::string text = run_text(report, Colour::kNever);
  const std::string line = "counters  unavailable: no permission";
  CHECK_THAT(text, contains(line));
  CHECK(text.find(line) == text.rfind(line));
  CHECK_THAT(text, contains("cure: set NVreg_RestrictProfilingToAdminUsers=0"));
  CHECK_THAT(text, contains("5,080,264*"));
  CHECK_THAT(text, contains("*         not counted: time x SM clock"));
}
