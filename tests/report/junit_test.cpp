#include "src/report/junit.h"

#include "tests/catch.h"
#include "tests/golden/example_report.h"
#include "tests/golden/golden.h"

using namespace fa3prof;
using namespace fa3prof::report;
using namespace fa3prof::tests;

TEST_CASE("The JUnit of a report is the golden one", "[report]") {
  core::Report report = compared_report();
  core::Result& failed = report.results.at(0);
  failed.verification->passed = false;
  failed.verification->failure = "row 3 <of 4> & \"worse\"\nthan that";
  failed.time_us.reset();
  core::Result left_out;
  left_out.kernel = "other";
  left_out.problem = example_problem();
  left_out.unsupported_reason = "head_dim 96";
  report.results.push_back(left_out);
  check_golden("junit.xml",
               junit_text(std::vector<NamedReport>{{.name = "a&b", .report = report}}));
}
