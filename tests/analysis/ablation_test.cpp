#include "src/analysis/ablation.h"

#include "tests/catch.h"
#include "tests/golden/example_report.h"

using namespace fa3prof;
using namespace fa3prof::tests;

namespace {

/// Measured in 2000, 1600, 1500, 1250 and 1000 us, simulated in as many cycles less a tenth.
std::vector<core::Result> all_schedules() {
  std::vector<core::Result> results;
  const std::vector<std::pair<std::string, double>> times{{"fa3-serial", 2000.0},
                                                          {"fa3-ws", 1600.0},
                                                          {"fa3-pingpong", 1500.0},
                                                          {"fa3-overlap", 1250.0},
                                                          {"fa3", 1000.0}};
  for (const auto& [kernel, time_us] : times) results.push_back(measured_result(kernel, time_us));
  for (const auto& [kernel, time_us] : times) {
    results.push_back(simulated_result(kernel, kernel == "fa3" ? time_us : 0.9 * time_us));
  }
  return results;
}

}  // namespace

TEST_CASE("Each mechanism's gain is the kernel with it over the kernel without", "[analysis]") {
  const std::vector<core::Result> results = all_schedules();
  const auto gains = analysis::mechanism_gains(analysis::compare(results).at(0));
  REQUIRE(gains.size() == 5);
  const auto time_ratio = [&](std::size_t i) {
    return gains[i].speedup.measured_time_ratio.value();
  };
  CHECK(gains[0].from == "fa3-serial");
  CHECK(gains[0].to == "fa3-ws");
  CHECK_THAT(time_ratio(0), WithinRel(2000.0 / 1600.0, 1e-9));
  CHECK_THAT(time_ratio(1), WithinRel(1600.0 / 1500.0, 1e-9));
  CHECK_THAT(time_ratio(2), WithinRel(1.5, 1e-9));
  CHECK_THAT(time_ratio(3), WithinRel(1.25, 1e-9));
  CHECK_THAT(time_ratio(4), WithinRel(2.0, 1e-9));
  CHECK_THAT(gains[4].speedup.simulated_cycles_ratio.value(), WithinRel(1.8, 1e-9));
  CHECK_FALSE(gains[0].published_ratio.has_value());
  CHECK_THAT(gains[2].published_ratio.value(), WithinRel(661.0 / 582.0, 1e-9));
  CHECK_THAT(gains[3].published_ratio.value(), WithinRel(661.0 / 570.0, 1e-9));
}

TEST_CASE("A mechanism is left out where one of its two kernels was not run", "[analysis]") {
  const std::vector<core::Result> results{measured_result("fa3", 1000.0),
                                          measured_result("fa3-overlap", 1250.0)};
  const auto gains = analysis::mechanism_gains(analysis::compare(results).at(0));
  REQUIRE(gains.size() == 1);
  CHECK(gains[0].from == "fa3-overlap");
  CHECK_THAT(gains[0].speedup.measured_time_ratio.value(), WithinRel(1.25, 1e-9));
  CHECK_FALSE(gains[0].speedup.simulated_cycles_ratio.has_value());
}

TEST_CASE("The paper's ablation gives TFLOPS for three schedules", "[analysis]") {
  CHECK(analysis::published_tflops("full") == 661.0);
  CHECK(analysis::published_tflops("pingpong") == 582.0);
  CHECK(analysis::published_tflops("overlap") == 570.0);
  CHECK_FALSE(analysis::published_tflops("ws").has_value());
}
