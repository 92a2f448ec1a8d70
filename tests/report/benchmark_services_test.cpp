#include "src/report/benchmark_services.h"

#include "src/core/json_reader.h"
#include "tests/catch.h"
#include "tests/golden/example_report.h"
#include "tests/golden/golden.h"

using namespace fa3prof;
using namespace fa3prof::report;
using namespace fa3prof::tests;

namespace {

std::vector<NamedReport> example() { return {{.name = "example", .report = compared_report()}}; }

}  // namespace

TEST_CASE("What github-action-benchmark gets is the golden text", "[report]") {
  check_golden("github_benchmark_tflops.json",
               github_benchmark_text(example(), BenchmarkMetric::kTflops));
  check_golden("github_benchmark_time.json",
               github_benchmark_text(example(), BenchmarkMetric::kTime));
}

TEST_CASE("What Bencher gets is the golden text", "[report]") {
  check_golden("bencher.json", bencher_text(example()));
}

TEST_CASE("A service gets every name once, also of several reports", "[report]") {
  std::vector<NamedReport> reports = example();
  reports.push_back({.name = "again", .report = example_report()});
  const core::Json bencher = core::parse_json(bencher_text(reports), "bencher");
  CHECK(bencher.size() == 9);
  CHECK(bencher.contains("again: fa3 fp16 b2 h16 sq8192 skv8192 d128"));
  CHECK(bencher.contains("example: fa3 fp16 b2 h16 sq8192 skv8192 d128 by fa3_fp16 on h200_sxm"));
}

TEST_CASE("A service gets no row without a time", "[report]") {
  std::vector<NamedReport> reports = example();
  reports.front().report.results.front().time_us.reset();
  const auto list =
      core::parse_json(github_benchmark_text(reports, BenchmarkMetric::kTime), "github");
  CHECK(list.size() == 4);
}
