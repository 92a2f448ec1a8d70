#include "src/analysis/precision.h"

#include "tests/catch.h"
#include "tests/golden/example_report.h"

using namespace fa3prof;
using namespace fa3prof::tests;

namespace {

/// fa3 in 1000 us and fa3_fp8 in `time_us`, which quantizes in 300 us.
std::vector<core::Result> beside_fa3(double time_us, bool is_included) {
  std::vector<core::Result> results{measured_result("fa3", 1000.0),
                                    measured_result("fa3_fp8", time_us)};
  for (core::Result& result : results) result.warnings.clear();
  results[1].quantization = {.time_us = 300.0, .is_included = is_included};
  analysis::warn_of_slow_quantized(results);
  CHECK(results[0].warnings.empty());
  return results;
}

}  // namespace

TEST_CASE("A quantized kernel as slow as fa3 is warned of", "[analysis]") {
  CHECK(beside_fa3(1050.0, false)[1].warnings ==
        std::vector<std::string>{"it takes 1.05 times the time of fa3"});
  CHECK(beside_fa3(1050.0, true)[1].warnings ==
        std::vector<std::string>{"with its quantization it takes 1.05 times the time of fa3"});
}

TEST_CASE("A quantized kernel that is slow with its quantization only is warned of", "[analysis]") {
  CHECK(beside_fa3(800.0, false)[1].warnings ==
        std::vector<std::string>{"with its quantization it takes 1.10 times the time of fa3"});
}

TEST_CASE("A quantized kernel that is faster in all is not warned of", "[analysis]") {
  CHECK(beside_fa3(600.0, false)[1].warnings.empty());
  CHECK(beside_fa3(900.0, true)[1].warnings.empty());
}

TEST_CASE("No warning compares different problems", "[analysis]") {
  std::vector<core::Result> results{measured_result("fa3", 1000.0),
                                    measured_result("fa3_fp8", 1500.0)};
  results[0].problem.seqlen_kv = 1;
  results[1].warnings.clear();
  results[1].quantization = {.time_us = 300.0, .is_included = false};
  analysis::warn_of_slow_quantized(results);
  CHECK(results[1].warnings.empty());
}
