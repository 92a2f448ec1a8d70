// JUnit's XML, which every CI server reads: suites of test cases.
#pragma once

#include "src/report/row_text.h"

#include <string>
#include <vector>

namespace fa3prof::report {

/// One check.
struct TestCase {
  enum class Outcome { kPassed, kFailed, kSkipped };

  std::string class_name;  ///< "fa3"
  std::string name;        ///< "fp16 b2 h16 sq8192 skv8192 d128 is verified"
  Outcome outcome = Outcome::kPassed;
  std::string message = {};  ///< why it failed or was skipped
  double time_us = 0.0;      ///< of the kernel; 0: not known
};

struct TestSuite {
  std::string name;
  std::string created_at;  ///< UTC, ISO 8601
  std::vector<TestCase> cases = {};
};

/// The document, as of the schema of Jenkins' xUnit plugin, which GitLab, Azure and GitHub actions
/// read alike.
[[nodiscard]] std::string junit_text(const std::vector<TestSuite>& suites);

/// A report's own checks: each measured kernel on each problem was verified. One that failed has
/// failed, one that was not run was skipped.
[[nodiscard]] std::string junit_text(const std::vector<NamedReport>& reports);

}  // namespace fa3prof::report
