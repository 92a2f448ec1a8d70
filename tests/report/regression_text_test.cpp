#include "src/report/regression_text.h"

#include "tests/catch.h"
#include "tests/golden/example_report.h"
#include "tests/golden/golden.h"

using namespace fa3prof;
using namespace fa3prof::report;
using namespace fa3prof::tests;

namespace {

/// Slower by 5 %, the same, broken, gone and new: every kind of row.
struct Pair {
  Pair() {
    base.report.results.push_back(measured_result("gone", 500.0));
    core::Result added = measured_result("added", 500.0);
    fresh.report.results.at(1) = measured_result("fa3", 1724.8 * 1.05);
    core::Result& broken = fresh.report.results.at(4);
    broken.verification->passed = false;
    broken.verification->failure = "row 3 | is wrong";
    broken.time_us.reset();
    fresh.report.results.push_back(added);
    fresh.report.environment.tool_commit = "fedcba9876";
  }

  NamedReport base{.name = "main", .report = compared_report()};
  NamedReport fresh{.name = "branch", .report = compared_report()};
};

/// A document's text without what says which build wrote it.
std::string without_build(core::Json document) {
  document.erase("tool_version");
  document.erase("tool_commit");
  return document.dump(2) + "\n";
}

}  // namespace

TEST_CASE("The verdict on two builds is the golden one in every format", "[report]") {
  const Pair pair;
  const auto regression = analysis::find_regressions(pair.base.report, pair.fresh.report, {});
  const RegressionView view{.base = pair.base,
                            .fresh = pair.fresh,
                            .regression = regression,
                            .warnings = {"main does not say how it timed"}};
  check_golden("compare.txt", regression_text(view, Colour::kNever));
  check_golden("compare.md", regression_markdown(view));
  check_golden("compare.json", without_build(regression_json(view)));
  check_golden("compare.xml", regression_junit(view));
}

TEST_CASE("Only colour differs on a terminal, and the worst is red", "[report]") {
  const Pair pair;
  const auto regression = analysis::find_regressions(pair.base.report, pair.fresh.report, {});
  const RegressionView view{.base = pair.base, .fresh = pair.fresh, .regression = regression};
  CHECK_THAT(regression_text(view, Colour::kAlways), contains("\x1b[1;31mmissing"));
}

TEST_CASE("A comment begins with what came out", "[report]") {
  const NamedReport named{.name = "a", .report = compared_report()};
  const auto same = analysis::find_regressions(named.report, named.report, {});
  CHECK(regression_markdown({.base = named, .fresh = named, .regression = same})
            .starts_with("### No regression\n\n3 same; more than 3.0 % is a regression\n"));
  const Pair pair;
  const auto slower = analysis::find_regressions(pair.base.report, pair.fresh.report, {});
  CHECK(regression_markdown({.base = pair.base, .fresh = pair.fresh, .regression = slower})
            .starts_with("### Slower\n"));
}
