#include "src/analysis/comparison.h"

#include "tests/catch.h"
#include "tests/golden/example_report.h"

using namespace fa3prof;
using namespace fa3prof::tests;

TEST_CASE("A measured kernel stands beside its simulation with a signed deviation", "[analysis]") {
  std::vector<core::Result> results{measured_result("fa3", 1000.0), simulated_result("fa3", 1.0)};
  results[0].cycles = 1'400'000.0;
  results[1].cycles = 1'330'000.0;
  results[1].time_us = 1200.0;
  const auto comparisons = analysis::compare(results);
  REQUIRE(comparisons.size() == 1);
  REQUIRE(comparisons[0].rows.size() == 1);
  const analysis::Row& row = comparisons[0].rows[0];
  CHECK(row.label == "fa3");
  CHECK(row.measured == &results[0]);
  CHECK(row.simulated == &results[1]);
  CHECK(row.measured_cycles_basis == "counted");
  CHECK_THAT(row.cycles_deviation_ratio.value(), WithinRel(-0.05, 1e-12));
  CHECK_THAT(row.time_deviation_ratio.value(), WithinRel(0.2, 1e-12));
  CHECK_FALSE(row.speedup.has_value());
}

TEST_CASE("Without counters the measured cycles are time times SM clock, and say so",
          "[analysis]") {
  std::vector<core::Result> results{measured_result("fa3", 1000.0), simulated_result("fa3", 1.0)};
  results[0].cycles.reset();
  results[0].clocks->sm_clock_mhz = 1500.0;
  results[1].cycles = 1'800'000.0;

  SECTION("with a clock") {
    const auto comparisons = analysis::compare(results);
    const analysis::Row& row = comparisons[0].rows[0];
    CHECK_THAT(row.measured_cycles.value(), WithinRel(1'500'000.0, 1e-12));
    CHECK(row.measured_cycles_basis == "time x 1500 MHz");
    CHECK_THAT(row.cycles_deviation_ratio.value(), WithinRel(0.2, 1e-12));
  }
  SECTION("without a clock only time is compared") {
    results[0].clocks.reset();
    const auto comparisons = analysis::compare(results);
    const analysis::Row& row = comparisons[0].rows[0];
    CHECK_FALSE(row.measured_cycles.has_value());
    CHECK_FALSE(row.cycles_deviation_ratio.has_value());
    CHECK(row.time_deviation_ratio.has_value());
  }
}

TEST_CASE("Each kernel is set over the first one of its problem", "[analysis]") {
  std::vector<core::Result> results{measured_result("fa2", 3000.0), measured_result("fa3", 1500.0),
                                    simulated_result("fa2", 5e6), simulated_result("fa3", 2e6)};
  const auto comparisons = analysis::compare(results);
  REQUIRE(comparisons.size() == 1);
  REQUIRE(comparisons[0].rows.size() == 2);
  CHECK_FALSE(comparisons[0].rows[0].speedup.has_value());
  const analysis::Speedup& speedup = comparisons[0].rows[1].speedup.value();
  CHECK(speedup.baseline == "fa2");
  CHECK_THAT(speedup.measured_time_ratio.value(), WithinRel(2.0, 1e-12));
  CHECK_THAT(speedup.measured_cycles_ratio.value(), WithinRel(2.0, 1e-12));
  CHECK_THAT(speedup.simulated_time_ratio.value(), WithinRel(2.5, 1e-12));
  CHECK_THAT(speedup.simulated_cycles_ratio.value(), WithinRel(2.5, 1e-12));
}

TEST_CASE("Kernels timed in turn get the ratio of each round, blind to a drift they share",
          "[analysis]") {
  std::vector<core::Result> results{measured_result("fa2", 3000.0), measured_result("fa3", 1500.0)};
  for (std::size_t kernel = 0; kernel < 2; ++kernel) {
    auto& samples = results[kernel].timing->samples_us;
    samples.clear();
    for (int round = 0; round < 30; ++round) {
      samples.push_back((kernel == 0 ? 3000.0 : 1500.0) * (1.0 + 0.01 * round));
    }
  }
  const auto interval_of = [&results] {
    return analysis::compare(results)[0].rows[1].speedup->measured_time_ratio_ci95;
  };
  REQUIRE(interval_of().has_value());
  CHECK_THAT(interval_of()->lower, WithinRel(2.0, 1e-12));
  CHECK_THAT(interval_of()->upper, WithinRel(2.0, 1e-12));

  SECTION("not for another number of rounds") { results[1].timing->samples_us.pop_back(); }
  SECTION("not for too few rounds") {
    for (core::Result& result : results) result.timing->samples_us.resize(5);
  }
  SECTION("not without samples") { results[0].timing.reset(); }
  CHECK_FALSE(interval_of().has_value());
  CHECK(analysis::compare(results)[0].rows[1].speedup->measured_time_ratio == 2.0);
}

TEST_CASE("The same kernel under two names is 1.00 within its interval", "[analysis]") {
  std::vector<core::Result> results{measured_result("a", 1500.0), measured_result("b", 1500.0)};
  // Noise of +-1 % that repeats with different periods in the two.
  for (std::size_t kernel = 0; kernel < 2; ++kernel) {
    auto& samples = results[kernel].timing->samples_us;
    samples.clear();
    for (std::size_t round = 0; round < 30; ++round) {
      const std::size_t step = round * (kernel == 0 ? 7 : 11) % 31;
      samples.push_back(1500.0 * (0.99 + 0.02 * static_cast<double>(step) / 30.0));
    }
  }
  const analysis::Speedup speedup = *analysis::compare(results)[0].rows[1].speedup;
  REQUIRE(speedup.measured_time_ratio_ci95.has_value());
  CHECK(speedup.measured_time_ratio_ci95->lower <= 1.0);
  CHECK(speedup.measured_time_ratio_ci95->upper >= 1.0);
  CHECK_THAT(speedup.measured_time_ratio.value(), WithinAbs(1.0, 0.01));
  CHECK(speedup.measured_time_ratio_ci95->lower < speedup.measured_time_ratio_ci95->upper);
}

TEST_CASE("A kernel without a time has no speedup", "[analysis]") {
  std::vector<core::Result> results{measured_result("fa2", 3000.0), measured_result("fa3", 1500.0)};
  results[1].time_us.reset();
  results[1].cycles.reset();
  results[1].clocks.reset();
  const auto comparisons = analysis::compare(results);
  const analysis::Speedup& speedup = comparisons[0].rows[1].speedup.value();
  CHECK_FALSE(speedup.measured_time_ratio.has_value());
  CHECK_FALSE(speedup.measured_cycles_ratio.has_value());
}

TEST_CASE("Results of different problems are never paired", "[analysis]") {
  std::vector<core::Result> results{measured_result("fa3", 1500.0), simulated_result("fa3", 2e6)};
  results[1].problem.is_causal = true;
  const auto comparisons = analysis::compare(results);
  REQUIRE(comparisons.size() == 2);
  CHECK(comparisons[0].rows[0].simulated == nullptr);
  CHECK(comparisons[1].rows[0].measured == nullptr);
}

TEST_CASE("Several simulations of one kernel are told apart by pipeline, then by machine",
          "[analysis]") {
  std::vector<core::Result> results{measured_result("fa3", 1500.0), simulated_result("fa3", 2e6),
                                    simulated_result("fa3", 3e6)};
  SECTION("two pipelines") {
    results[2].pipeline = "fa3_no_overlap";
    const auto rows = analysis::compare(results)[0].rows;
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].label == "fa3_fp16");
    CHECK(rows[1].label == "fa3_no_overlap");
    CHECK(rows[1].measured == &results[0]);
  }
  SECTION("two machines") {
    results[2].machine = "h100_sxm";
    const auto rows = analysis::compare(results)[0].rows;
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].label == "fa3_fp16 on h200_sxm");
    CHECK(rows[1].label == "fa3_fp16 on h100_sxm");
  }
}
