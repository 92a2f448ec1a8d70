#include "src/analysis/fleet.h"

#include "src/analysis/comparison.h"
#include "tests/analysis/made_series.h"
#include "tests/catch.h"
#include "tests/golden/example_report.h"

using namespace fa3prof;
using namespace fa3prof::tests;

namespace {

core::Result on_gpu(int index, const Series& series, double power_limit_watts = 700.0) {
  core::Result row = row_of_series(series);
  row.device = core::Device{.index = index,
                            .uuid = "GPU-" + std::to_string(index),
                            .power_limit_watts = power_limit_watts};
  return row;
}

std::vector<core::Result> four_gpus() {
  return {on_gpu(0, steady(1500.0, 60, 1)), on_gpu(1, steady(1510.0, 60, 2)),
          on_gpu(2, at_clock(steady(1500.0, 60, 3), 1540.0), 600.0),
          on_gpu(3, steady(1490.0, 60, 4))};
}

}  // namespace

TEST_CASE("The GPU that lags is found beside the median one, with the reason", "[analysis]") {
  const auto results = four_gpus();
  const auto fleet = analysis::fleet_of(results);
  REQUIRE(fleet.size() == 1);
  const auto& rows = fleet.front().rows;
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].is_median);
  CHECK(rows[0].ratio.time->median == 1.0);
  CHECK_FALSE(rows[1].lags);
  CHECK(rows[2].lags);
  CHECK_THAT(rows[2].ratio.time->median, WithinAbs(1650.0 / 1540.0, 0.01));
  CHECK(rows[2].ratio.time->ci95.lower > 1.05);
  CHECK_FALSE(rows[3].lags);
  CHECK_THAT(analysis::why_it_lags(fleet.front(), rows[2]),
             contains("its clock is 6.") && contains("power limit is 600 W against 700 W"));
  CHECK(analysis::why_it_lags(fleet.front(), rows[1]).empty());
  const auto warnings = analysis::lag_warnings(fleet);
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings.front(), contains("GPU 2 (GPU-2) lags: fa3 on fp16 b2"));
}

TEST_CASE("A GPU that needs more cycles lags by itself", "[analysis]") {
  const std::vector<core::Result> results{on_gpu(0, steady(1500.0, 60, 1)),
                                          on_gpu(1, steady(1600.0, 60, 2))};
  const auto fleet = analysis::fleet_of(results);
  CHECK(fleet.front().rows[0].is_median);  // of two the faster
  CHECK_THAT(analysis::why_it_lags(fleet.front(), fleet.front().rows[1]),
             contains("more cycles") && !contains("clock"));
}

TEST_CASE("One GPU is its own median, and rows without a device are no fleet", "[analysis]") {
  const std::vector<core::Result> one{on_gpu(0, steady(1500.0, 60))};
  CHECK(analysis::fleet_of(one).front().rows.front().is_median);
  CHECK(analysis::lag_warnings(analysis::fleet_of(one)).empty());
  const std::vector<core::Result> plain{row_of_series(steady(1500.0, 60))};
  CHECK(analysis::fleet_of(plain).empty());
}

TEST_CASE("A GPU on which the kernel failed is in the fleet without a ratio", "[analysis]") {
  auto results = four_gpus();
  results[3].time_us.reset();
  const auto fleet = analysis::fleet_of(results);
  CHECK_FALSE(fleet.front().rows[3].ratio.time.has_value());
  CHECK_FALSE(fleet.front().rows[3].lags);
}

TEST_CASE("Kernels are set against those of the same GPU, each beside the model", "[analysis]") {
  std::vector<core::Result> results;
  for (const int gpu : {0, 1}) {
    for (const char* kernel : {"fa2", "fa3"}) {
      results.push_back(measured_result(kernel, kernel[2] == '2' ? 3000.0 : 1500.0 + 100.0 * gpu));
      results.back().device = core::Device{.index = gpu, .uuid = "GPU-" + std::to_string(gpu)};
    }
  }
  results.push_back(simulated_result("fa3", 2'500'000.0));
  const auto comparisons = analysis::compare(results);
  const auto& rows = comparisons.front().rows;
  REQUIRE(rows.size() == 4);
  CHECK(rows[3].label == "fa3 on GPU 1");
  CHECK_FALSE(rows[2].speedup.has_value());
  CHECK(rows[3].speedup->baseline == "fa2 on GPU 1");
  CHECK_THAT(rows[3].speedup->measured_time_ratio.value(), WithinAbs(3000.0 / 1600.0, 1e-3));
  CHECK(rows[1].simulated == rows[3].simulated);
  CHECK(rows[1].simulated != nullptr);
}
