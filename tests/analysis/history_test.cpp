#include "src/analysis/history.h"

#include "tests/analysis/made_series.h"
#include "tests/catch.h"

using namespace fa3prof;
using namespace fa3prof::tests;

namespace {

/// So many days at each time.
std::vector<double> stretches(const std::vector<std::pair<double, std::size_t>>& levels) {
  std::vector<double> times;
  for (const auto& [time_us, days] : levels) times.insert(times.end(), days, time_us);
  return times;
}

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

TEST_CASE("A step that lasts is one change, where it happens", "[analysis]") {
  CHECK(changes_of(stretches({{1500.0, 5}, {1600.0, 3}})) == Changes{5});
  CHECK(changes_of(stretches({{1500.0, 6}, {1400.0, 6}, {1500.0, 6}})) == Changes{6, 12});
}

TEST_CASE("One odd report is no change, wherever it stands and to whichever side", "[analysis]") {
  for (const double factor : {0.7, 1.4}) {
    for (std::size_t odd = 0; odd < 12; ++odd) {
      std::vector<double> times = stretches({{1500.0, 12}});
      times[odd] *= factor;
      CAPTURE(factor, odd);
      CHECK(changes_of(times).empty());
    }
  }
}

TEST_CASE("An odd report beside a step leaves the step alone", "[analysis]") {
  std::vector<double> times = stretches({{1500.0, 10}, {1600.0, 10}});
  times[4] *= 1.3;
  CHECK(changes_of(times) == Changes{10});
}

TEST_CASE("An odd report in a short history neither hides its step nor adds another",
          "[analysis]") {
  for (std::size_t odd = 0; odd < 12; ++odd) {
    std::vector<double> times = stretches({{1500.0, 6}, {1620.0, 6}});
    times[odd] *= 1.5;
    CAPTURE(odd);
    CHECK(changes_of(times).size() == 1);
  }
}

TEST_CASE("A step within the limit is no change, however sure", "[analysis]") {
  CHECK(changes_of(stretches({{1500.0, 12}, {1530.0, 12}})).empty());
}

TEST_CASE("A creep that no step shows is a change once it adds up", "[analysis]") {
  std::vector<double> times = stretches({{1500.0, 24}});
  for (std::size_t day = 0; day < times.size(); ++day) {
    times[day] *= 1.0 + 0.005 * static_cast<double>(day);
  }
  CHECK_FALSE(changes_of(times).empty());
}

TEST_CASE("A lower clock alone is no change of the kernel", "[analysis]") {
  std::vector<core::Report> reports;
  for (unsigned day = 0; day < 12; ++day) {
    reports.push_back(
        report_of_series(at_clock(steady(1500.0, 60, day), day < 6 ? 1650.0 : 1550.0)));
  }
  for (const auto& point : analysis::history_of(pointers(reports), 0.03).front().points) {
    CHECK_FALSE(point.is_change);
  }
}

TEST_CASE("A change tells by how much the level moved, and points where they lie in it",
          "[analysis]") {
  const auto reports = reports_of(stretches({{1500.0, 5}, {1650.0, 5}}));
  const auto points = analysis::history_of(pointers(reports), 0.03).front().points;
  REQUIRE(points[5].level_change_ratio.has_value());
  CHECK_THAT(*points[5].level_change_ratio, WithinAbs(0.1, 0.01));
  for (const auto& point : points) CHECK_THAT(point.change_ratio, WithinAbs(0.0, 0.01));
}

TEST_CASE("A simulated time has no noise: each that differs is a change", "[analysis]") {
  std::vector<core::Report> reports = reports_of({1500.0, 1500.0, 1600.0});
  for (core::Report& report : reports) {
    core::Result& row = report.results.front();
    row.source = core::ResultSource::kDiscreteEvent;
    row.timing.reset();
    row.cycles = *row.time_us * 1650.0;
  }
  const auto points = analysis::history_of(pointers(reports), 0.03).front().points;
  CHECK_FALSE(points[1].is_change);
  CHECK(points[2].is_change);
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
