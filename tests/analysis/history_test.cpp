#include "src/analysis/history.h"

#include "tests/analysis/made_series.h"
#include "tests/catch.h"

using namespace fa3prof;
using namespace fa3prof::tests;

namespace {

/// A report for each time, one a day.
std::vector<core::Report> reports_of(const std::vector<double>& times_us) {
  std::vector<core::Report> reports;
  for (std::size_t day = 0; day < times_us.size(); ++day) {
    reports.push_back(report_of_series(steady(times_us[day], 60, static_cast<unsigned>(day))));
  }
  return reports;
}

std::vector<const core::Report*> pointers(const std::vector<core::Report>& reports) {
  std::vector<const core::Report*> list;
  for (const core::Report& report : reports) list.push_back(&report);
  return list;
}

/// Numbers of the points that are changes, of the only series.
std::vector<std::size_t> changes_of(const std::vector<double>& times_us) {
  const auto reports = reports_of(times_us);
  const auto series = analysis::history_of(pointers(reports), 0.03);
  REQUIRE(series.size() == 1);
  std::vector<std::size_t> changes;
  for (std::size_t i = 0; i < series.front().points.size(); ++i) {
    if (series.front().points[i].is_change) changes.push_back(i);
  }
  return changes;
}

using Changes = std::vector<std::size_t>;

}  // namespace

TEST_CASE("A steady history has no change", "[analysis]") {
  CHECK(changes_of({1500.0, 1502.0, 1498.0, 1501.0, 1500.0}).empty());
}

TEST_CASE("A step is one change, where it happens", "[analysis]") {
  CHECK(changes_of({1500.0, 1500.0, 1600.0, 1601.0, 1600.0}) == Changes{2});
  CHECK(changes_of({1500.0, 1400.0, 1400.0, 1500.0}) == Changes{1, 3});
}

TEST_CASE("A creep that no step shows is a change once it adds up", "[analysis]") {
  CHECK(changes_of({1500.0, 1520.0, 1540.0, 1560.0, 1580.0, 1600.0}) == Changes{3});
}

TEST_CASE("Other conditions are another series", "[analysis]") {
  auto reports = reports_of({1500.0, 1500.0, 900.0, 1500.0, 1500.0});
  reports[1].results.front().timing->cache = "cold";
  reports[2].environment.gpu->name = "NVIDIA B200";
  reports[3].results.front().timing->method->mode = "burst";
  const auto series = analysis::history_of(pointers(reports), 0.03);
  REQUIRE(series.size() == 4);
  CHECK(series.front().points.size() == 2);
  CHECK(series.front().points.back().report == 4);
}

TEST_CASE("A row that failed has no point", "[analysis]") {
  auto reports = reports_of({1500.0, 1500.0});
  reports[1].results.front().time_us.reset();
  CHECK(analysis::history_of(pointers(reports), 0.03).front().points.size() == 1);
}

TEST_CASE("Reports are put in the order in which they were made", "[analysis]") {
  auto reports = reports_of({1.0, 2.0, 3.0});
  reports[0].created_at = "2026-11-30T12:00:00Z";
  reports[1].created_at = "2026-02-01T12:00:00Z";
  reports[2].created_at = "2026-11-30T11:59:59Z";
  CHECK(analysis::in_time(pointers(reports)) == Changes{1, 2, 0});
}
