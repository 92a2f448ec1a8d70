#include "src/analysis/regression.h"

#include "src/core/error.h"
#include "tests/analysis/made_series.h"
#include "tests/catch.h"
#include "tests/golden/example_report.h"

using namespace fa3prof;
using namespace fa3prof::tests;
using analysis::Verdict;

namespace {

/// Compares one row.
analysis::RegressionRow compare(const Series& base, const Series& fresh, double limit = 0.03) {
  const core::Report before = report_of_series(base);
  const core::Report after = report_of_series(fresh);
  const auto regression =
      analysis::find_regressions(before, after, {.max_regression_ratio = limit});
  REQUIRE(regression.rows.size() == 1);
  analysis::RegressionRow row = regression.rows.front();
  row.base = row.fresh = nullptr;  // the reports are gone
  return row;
}

}  // namespace

TEST_CASE("The same series twice is the same", "[analysis]") {
  const Series series = steady(1500.0, 100);
  const auto row = compare(series, series);
  CHECK(row.verdict == Verdict::kSame);
  CHECK(row.ratio.time->median == 1.0);
  CHECK(row.notes.empty());
}

TEST_CASE("Two takes of one kernel are the same, however often they are taken", "[analysis]") {
  for (unsigned take = 0; take < 50; ++take) {
    const auto row = compare(steady(1500.0, 60, 2 * take), steady(1500.0, 60, 2 * take + 1));
    CAPTURE(take, row.ratio.time->ci95.lower, row.ratio.time->ci95.upper);
    CHECK(row.verdict == Verdict::kSame);
  }
}

TEST_CASE("A kernel that is slower by 5 % is called so every time, and back it is faster",
          "[analysis]") {
  for (unsigned take = 0; take < 50; ++take) {
    const Series base = steady(1500.0, 60, 2 * take);
    const Series slowed = steady(1575.0, 60, 2 * take + 1);
    CHECK(compare(base, slowed).verdict == Verdict::kSlower);
    CHECK(compare(slowed, base).verdict == Verdict::kFaster);
  }
}

TEST_CASE("Slower by less than the limit is the same", "[analysis]") {
  CHECK(compare(steady(1500.0, 100), steady(1530.0, 100)).verdict == Verdict::kSame);
  CHECK(compare(steady(1500.0, 100), steady(1530.0, 100), 0.01).verdict == Verdict::kSlower);
}

TEST_CASE("At the limit itself no verdict is reached", "[analysis]") {
  CHECK(compare(steady(1500.0, 60), steady(1545.0, 60, 1)).verdict == Verdict::kInconclusive);
}

TEST_CASE("A lower clock is no slower kernel", "[analysis]") {
  const auto row = compare(steady(1500.0, 100), at_clock(steady(1500.0, 100, 1), 1500.0));
  CHECK(row.ratio.time->median > 1.09);
  CHECK(row.verdict == Verdict::kSame);
  REQUIRE(row.notes.size() == 1);
  CHECK_THAT(row.notes.front(), contains("the clock was") && contains("lower"));
}

TEST_CASE("A power cap that answers idling with a higher clock hides no slower kernel",
          "[analysis]") {
  // 5 % more cycles, of which the clock takes back 3 %.
  const auto row = compare(steady(1500.0, 100), at_clock(steady(1575.0, 100, 1), 1650.0 * 1.03));
  CHECK(row.ratio.time->median < 1.03);
  CHECK(row.verdict == Verdict::kSlower);
}

TEST_CASE("A clock that hops between two plateaus changes no verdict", "[analysis]") {
  const Series base = hopping(1500.0, 7);
  CHECK(compare(base, hopping(1500.0, 11)).verdict == Verdict::kSame);
  CHECK(compare(base, hopping(1575.0, 11)).verdict == Verdict::kSlower);
}

TEST_CASE("One outlier changes no verdict", "[analysis]") {
  Series outlier = steady(1500.0, 40, 1);
  outlier.times_us[20] *= 50.0;
  CHECK(compare(steady(1500.0, 40), outlier).verdict == Verdict::kSame);
  CHECK(compare(outlier, steady(1500.0, 40)).verdict == Verdict::kSame);
}

TEST_CASE("A drift of the clock is told and is no slower kernel", "[analysis]") {
  const auto row = compare(steady(1500.0, 120), drifting(1500.0, 0.08));
  CHECK(row.verdict == Verdict::kSame);
  CHECK_THAT(row.notes.back(), contains("new drifted by +"));
}

TEST_CASE("Two samples give no verdict, however far they are apart", "[analysis]") {
  const auto row = compare(steady(1500.0, 100), steady(3000.0, 2));
  CHECK(row.verdict == Verdict::kInconclusive);
  CHECK_THAT(row.notes.back(), contains("2 samples: an interval takes at least 6"));
}

TEST_CASE("Without cycles slower is not decided, same is", "[analysis]") {
  const auto without_clock = [](Series series) {
    series.clocks_mhz.clear();
    return series;
  };
  const auto slower = compare(without_clock(steady(1500.0, 60)), without_clock(steady(1600.0, 60)));
  CHECK(slower.verdict == Verdict::kInconclusive);
  CHECK_THAT(slower.notes.back(), contains("it may be the clock"));
  CHECK(compare(without_clock(steady(1500.0, 60)), without_clock(steady(1500.0, 60, 1))).verdict ==
        Verdict::kSame);
}

TEST_CASE("Rows are paired by kernel and problem, the worst comes first", "[analysis]") {
  core::Report base = report_of_series(steady(1500.0, 60));
  core::Report fresh = report_of_series(steady(1500.0, 60, 1));
  const auto add = [](core::Report& report, const std::string& kernel, const Series& series) {
    report.results.push_back(row_of_series(series));
    report.results.back().kernel = kernel;
  };
  add(base, "fa2", steady(2000.0, 60));
  add(base, "cudnn", steady(900.0, 60));
  add(base, "gone", steady(900.0, 60));
  add(base, "broken", steady(900.0, 60));
  add(fresh, "cudnn", steady(800.0, 60));
  add(fresh, "fa2", steady(2200.0, 60));
  add(fresh, "added", steady(900.0, 60));
  core::Result failed;
  failed.kernel = "broken";
  failed.problem = fresh.results.front().problem;
  failed.verification = core::Verification{.passed = false, .failure = "row 3 is wrong"};
  fresh.results.push_back(failed);

  const auto regression = analysis::find_regressions(base, fresh, {});
  std::vector<std::string> order;
  for (const auto& row : regression.rows) order.push_back(row.any().kernel);
  CHECK(order == std::vector<std::string>{"broken", "fa2", "gone", "fa3", "cudnn", "added"});
  CHECK(regression.rows[0].is_broken);
  CHECK_THAT(regression.rows[0].notes.front(), contains("failed verification in new: row 3"));
  CHECK(regression.rows[1].verdict == Verdict::kSlower);
  CHECK(regression.rows[4].verdict == Verdict::kFaster);
  CHECK(regression.count(Verdict::kMissing) == 3);
  CHECK(regression.has_regression());
  CHECK(regression.is_undecided());
}

TEST_CASE("A row that only the new report has decides nothing", "[analysis]") {
  const core::Report base = report_of_series(steady(1500.0, 60));
  core::Report fresh = base;
  fresh.results.push_back(row_of_series(steady(900.0, 60)));
  fresh.results.back().kernel = "added";
  const auto regression = analysis::find_regressions(base, fresh, {});
  CHECK_FALSE(regression.has_regression());
  CHECK_FALSE(regression.is_undecided());
}

TEST_CASE("Simulated rows are compared where nothing was measured, to the cycle", "[analysis]") {
  core::Report base;
  base.results.push_back(simulated_result("fa3", 1'000'000.0));
  core::Report fresh = base;
  fresh.results.front() = simulated_result("fa3", 1'040'000.0);
  const auto regression = analysis::find_regressions(base, fresh, {});
  CHECK(regression.rows.front().verdict == Verdict::kSlower);
  CHECK(regression.rows.front().ratio.cycles_basis == "simulated");
  base.results.push_back(row_of_series(steady(1500.0, 60)));
  CHECK_THROWS_WITH(analysis::find_regressions(base, fresh, {}), contains("in both reports"));
}

TEST_CASE("Another GPU is compared in units of its peak", "[analysis]") {
  core::Report base = report_of_series(steady(1500.0, 60));
  core::Report fresh = report_of_series(steady(3000.0, 60, 1));
  base.results.front().peak_tflops = 1000.0;
  fresh.results.front().peak_tflops = 500.0;
  const auto row =
      analysis::find_regressions(base, fresh, {.normalises_by_peak = true}).rows.front();
  CHECK(row.verdict == Verdict::kSame);
  CHECK_THAT(row.ratio.time->median, WithinRel(1.0, 0.01));
  fresh.results.front().peak_tflops.reset();
  CHECK_THROWS_AS(analysis::find_regressions(base, fresh, {.normalises_by_peak = true}),
                  core::UsageError);
}

TEST_CASE("A row that a report has twice is refused", "[analysis]") {
  const core::Report base = report_of_series(steady(1500.0, 60));
  core::Report twice = base;
  twice.results.push_back(twice.results.front());
  CHECK_THROWS_WITH(analysis::find_regressions(base, twice, {}), contains("twice"));
}
