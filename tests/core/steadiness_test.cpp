#include "src/core/steadiness.h"

#include "src/core/error.h"
#include "tests/catch.h"

#include <limits>
#include <random>
#include <vector>

namespace fa3prof::tests {
namespace {

/// `count` values of `middle`, to either side by up to `spread_ratio`.
std::vector<double> noise(double middle, double spread_ratio, std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    const double uniform = static_cast<double>(random()) / static_cast<double>(std::mt19937::max());
    values.push_back(middle * (1.0 + spread_ratio * (2.0 * uniform - 1.0)));
  }
  return values;
}

/// Over 100 launches from the first to the second, with noise of a percent.
std::vector<double> ramp(double from, double to) {
  std::vector<double> values = noise(1.0, 0.01, 100, 1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] *= from + (to - from) * static_cast<double>(i) / 99.0;
  }
  return values;
}

TEST_CASE("a ramp is drift to either side", "[core]") {
  // What flashinfer's pull request 2899 states of a B200: 1450 to 1237 TFLOPS in 100 iterations.
  CHECK_THAT(core::significant_drift(ramp(1450.0, 1237.0), 0.02).value(), WithinAbs(-0.10, 0.01));
  CHECK(core::significant_drift(ramp(1237.0, 1450.0), 0.02).value() > 0.08);
}

TEST_CASE("a step in the middle is drift", "[core]") {
  std::vector<double> values = noise(100.0, 0.01, 60, 1);
  for (std::size_t i = 30; i < values.size(); ++i) values[i] *= 1.06;
  CHECK_THAT(core::significant_drift(values, 0.02).value(), WithinAbs(0.06, 0.01));
}

TEST_CASE("noise and small drift are none", "[core]") {
  CHECK_FALSE(core::significant_drift(ramp(100.0, 101.5), 0.02).has_value());
  CHECK_FALSE(core::significant_drift(noise(100.0, 0.3, 17, 1), 0.0).has_value());
  int found = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    if (core::significant_drift(noise(100.0, 0.3, 60, seed), 0.02)) ++found;
  }
  CHECK(found <= 2);
}

TEST_CASE("a clock that hops all the time has levels and no drift", "[core]") {
  std::vector<double> values;
  for (int i = 0; i < 210; ++i) values.push_back(i / 5 % 2 == 0 ? 1650.0 : 1590.0);
  CHECK_FALSE(core::significant_drift(values, 0.02).has_value());
  const auto levels = core::two_levels(values, 0.02);
  REQUIRE(levels.has_value());
  CHECK_THAT(levels->low, WithinRel(1590.0, 1e-9));
  CHECK_THAT(levels->high, WithinRel(1650.0, 1e-9));
  CHECK_THAT(levels->high_share_ratio, WithinAbs(0.5, 1e-9));
}

TEST_CASE("heaps may be noisy and of unequal size", "[core]") {
  std::vector<double> values = noise(1620.0, 0.002, 60, 1);
  const std::vector<double> low = noise(1560.0, 0.002, 40, 2);
  values.insert(values.end(), low.begin(), low.end());
  const auto levels = core::two_levels(values, 0.02);
  REQUIRE(levels.has_value());
  CHECK_THAT(levels->low, WithinRel(1560.0, 1e-3));
  CHECK_THAT(levels->high, WithinRel(1620.0, 1e-3));
  CHECK_THAT(levels->high_share_ratio, WithinAbs(0.6, 1e-9));
}

TEST_CASE("one heap, a few outliers and near levels are no two levels", "[core]") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    CHECK_FALSE(core::two_levels(noise(1600.0, 0.05, 100, seed), 0.02).has_value());
  }
  std::vector<double> outliers(100, 1600.0);
  outliers[3] = outliers[50] = 900.0;
  CHECK_FALSE(core::two_levels(outliers, 0.02).has_value());
  std::vector<double> near(100, 1600.0);
  for (std::size_t i = 0; i < 50; ++i) near[2 * i] = 1615.0;
  CHECK_FALSE(core::two_levels(near, 0.02).has_value());
  CHECK_FALSE(core::two_levels(std::vector<double>(100, 1600.0), 0.02).has_value());
  CHECK_FALSE(core::two_levels(std::vector<double>{1.0, 2.0}, 0.02).has_value());
}

TEST_CASE("a NaN among the samples is refused", "[core]") {
  const std::vector<double> values(30, std::numeric_limits<double>::quiet_NaN());
  CHECK_THROWS_AS(core::significant_drift(values, 0.02), core::UsageError);
  CHECK_THROWS_AS(core::two_levels(values, 0.02), core::UsageError);
}

}  // namespace
}  // namespace fa3prof::tests
