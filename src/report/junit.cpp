#include "src/report/junit.h"

#include "src/report/regression_cells.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fa3prof::report {
namespace {

using analysis::RegressionRow;
using analysis::Verdict;
using Outcome = TestCase::Outcome;

constexpr double kSecondsPerUs = 1e-6;

/// Text for an attribute. XML has no way to write control characters; a space takes their place.
std::string attribute(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return safe;
}

std::size_t count(const TestSuite& suite, Outcome outcome) {
  return static_cast<std::size_t>(std::ranges::count(suite.cases, outcome, &TestCase::outcome));
}

std::string case_text(const TestCase& test) {
  std::string text = fmt::format(R"(    <testcase classname="{}" name="{}")",
                                 attribute(test.class_name), attribute(test.name));
  if (test.time_us > 0.0) text += fmt::format(R"( time="{:.9f}")", test.time_us * kSecondsPerUs);
  if (test.outcome == Outcome::kPassed) return text + "/>\n";
  const char* element = test.outcome == Outcome::kFailed ? "failure" : "skipped";
  return text + fmt::format(">\n      <{} message=\"{}\"/>\n    </testcase>\n", element,
                            attribute(test.message));
}

TestCase verification_case(const core::Result& result) {
  TestCase test{.class_name = core::row_label(result),
                .name = core::describe(result.problem) + " is verified",
                .time_us = result.time_us.value_or(0.0)};
  if (!result.unsupported_reason.empty()) {
    test.outcome = Outcome::kSkipped;
    test.message = result.unsupported_reason;
  } else if (!result.verification) {
    test.outcome = Outcome::kSkipped;
    test.message = "it was not verified";
  } else if (!result.verification->passed) {
    test.outcome = Outcome::kFailed;
    test.message = result.verification->failure;
  }
  return test;
}

TestCase regression_case(const RegressionRow& row) {
  const RegressionCells cells = regression_cells(row);
  const auto& [verdict, kernel, problem, base_us, new_us, time, cycles, note] = cells;
  TestCase test{.class_name = kernel, .name = problem + " is no slower"};
  if (row.fresh != nullptr) test.time_us = row.fresh->time_us.value_or(0.0);
  std::vector<std::string> parts{verdict};
  if (!time.empty()) parts.push_back("time " + time);
  if (!cycles.empty()) parts.push_back("cycles " + cycles);
  if (!note.empty()) parts.push_back(note);
  test.message = fmt::format("{}", fmt::join(parts, "; "));
  if (row.is_broken || row.verdict == Verdict::kSlower) {
    test.outcome = Outcome::kFailed;
  } else if (row.verdict == Verdict::kMissing || row.verdict == Verdict::kInconclusive) {
    test.outcome = Outcome::kSkipped;
  }
  return test;
}

/// "2026-11-30T12:00:00Z" without the Z, which the schema does not have.
std::string timestamp(std::string created_at) {
  if (created_at.ends_with('Z')) created_at.pop_back();
  return created_at;
}

}  // namespace

std::string junit_text(const std::vector<TestSuite>& suites) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const TestSuite& suite : suites) {
    text += fmt::format(
        "  <testsuite name=\"{}\" timestamp=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" "
        "skipped=\"{}\">\n",
        attribute(suite.name), attribute(timestamp(suite.created_at)), suite.cases.size(),
        count(suite, Outcome::kFailed), count(suite, Outcome::kSkipped));
    for (const TestCase& test : suite.cases) text += case_text(test);
    text += "  </testsuite>\n";
  }
  return text + "</testsuites>\n";
}

std::string junit_text(const std::vector<NamedReport>& reports) {
  std::vector<TestSuite> suites;
  for (const NamedReport& named : reports) {
    TestSuite suite{.name = named.name, .created_at = named.report.created_at};
    for (const core::Result& result : named.report.results) {
      if (result.source != core::ResultSource::kMeasured) continue;
      suite.cases.push_back(verification_case(result));
    }
    suites.push_back(std::move(suite));
  }
  return junit_text(suites);
}

std::string regression_junit(const RegressionView& view) {
  TestSuite suite{.name = view.fresh.name + " against " + view.base.name,
                  .created_at = view.fresh.report.created_at};
  for (const RegressionRow& row : view.regression.rows) suite.cases.push_back(regression_case(row));
  return junit_text({suite});
}

}  // namespace fa3prof::report
