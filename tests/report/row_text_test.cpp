#include "src/report/row_text.h"

#include "tests/catch.h"
#include "tests/golden/example_report.h"
#include "tests/golden/golden.h"

#include <algorithm>
#include <limits>
#include <sstream>

using namespace fa3prof;
using namespace fa3prof::report;
using namespace fa3prof::tests;

namespace {

/// The example's report, whose environment states no build of this one.
std::vector<NamedReport> example() { return {{.name = "example", .report = compared_report()}}; }

/// A failed row, one that was not run, and names that every format must quote.
std::vector<NamedReport> hard_to_write() {
  core::Report report = compared_report();
  core::Result& failed = report.results.at(0);
  failed.kernel = "a,\"b\"|c\n<d>";
  failed.kernel_version = "1,2";
  failed.verification->passed = false;
  failed.verification->failure = "row 3 | is wrong";
  failed.verification->relative_error = std::numeric_limits<double>::quiet_NaN();
  failed.time_us.reset();
  failed.tflops.reset();
  core::Result left_out;
  left_out.kernel = "other";
  left_out.problem = example_problem();
  left_out.unsupported_reason = "head_dim 96";
  report.results.push_back(left_out);
  return {{.name = "hard", .report = report}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("The CSV of a report is the golden one", "[report]") {
  check_golden("report.csv", csv_text(example()));
}

TEST_CASE("The Markdown of a report is the golden one", "[report]") {
  check_golden("report.md", markdown_text(example()));
}

TEST_CASE("Every line of CSV has as many cells as there are names", "[report]") {
  const std::vector<std::string> lines = lines_of(csv_text(example()));
  REQUIRE(lines.size() == 4);
  for (const std::string& line : lines) {
    CHECK(std::ranges::count(line, ',') == std::ranges::count(lines.front(), ','));
  }
}

TEST_CASE("CSV has one heading for several reports and names each row's", "[report]") {
  std::vector<NamedReport> two = example();
  two.push_back({.name = "again", .report = example_report()});
  const std::vector<std::string> lines = lines_of(csv_text(two));
  CHECK(lines.size() == 6);
  CHECK(lines.at(1).starts_with("example,fa2,"));
  CHECK(lines.at(5).starts_with("again,fa3,"));
}

TEST_CASE("CSV quotes what would end a cell and leaves NaN out", "[report]") {
  const std::string text = csv_text(hard_to_write());
  CHECK_THAT(text, contains("hard,\"a,\"\"b\"\"|c\n<d>\",\"1,2\","));
  CHECK_THAT(text, !contains("nan"));
  CHECK_THAT(text, contains("head_dim 96"));
}

TEST_CASE("Markdown escapes what would end a cell or become markup, and says what failed",
          "[report]") {
  const std::string text = markdown_text(hard_to_write());
  CHECK_THAT(text, contains("a,\"b\"\\|c \\<d>"));
  CHECK_THAT(text, contains("failed verification: row 3 \\| is wrong"));
  CHECK_THAT(text, contains("not run: head\\_dim 96"));
}
