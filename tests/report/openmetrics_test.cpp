#include "src/report/openmetrics.h"

#include "tests/catch.h"
#include "tests/golden/example_report.h"
#include "tests/golden/golden.h"

#include <set>
#include <sstream>

using namespace fa3prof;
using namespace fa3prof::report;
using namespace fa3prof::tests;

namespace {

std::vector<NamedReport> example() { return {{.name = "example", .report = compared_report()}}; }

}  // namespace

TEST_CASE("The OpenMetrics of a report are the golden ones", "[report]") {
  check_golden("openmetrics.txt", openmetrics_text(example()));
}

TEST_CASE("Every family stands together, no series is there twice, and the end is marked",
          "[report]") {
  std::vector<NamedReport> reports = example();
  reports.push_back({.name = "again", .report = compared_report()});
  const std::string metrics = openmetrics_text(reports);
  CHECK(metrics.ends_with("\n# EOF\n"));
  std::istringstream text(metrics);
  std::set<std::string> series;
  std::set<std::string> families;
  std::string family;
  std::string line;
  while (std::getline(text, line)) {
    if (line.starts_with("# TYPE ")) {
      family = line.substr(7, line.rfind(' ') - 7);
      CHECK(families.insert(family).second);
    } else if (!line.starts_with('#')) {
      CHECK(line.starts_with(family + "{"));
      CHECK(series.insert(line.substr(0, line.rfind(' '))).second);
    }
  }
  CHECK(families.size() == 16);
}

TEST_CASE("A label holds any name", "[report]") {
  std::vector<NamedReport> reports = example();
  reports.front().name = "a\\b\"c\nd";
  CHECK_THAT(openmetrics_text(reports), contains("report=\"a\\\\b\\\"c\\nd\""));
}
