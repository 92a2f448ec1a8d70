#include "src/core/change_points.h"

#include "src/core/error.h"
#include "tests/catch.h"

#include <limits>
#include <random>

namespace fa3prof::tests {
namespace {

using Changes = std::vector<std::size_t>;

/// Stretches of values about their levels, half a percent to either side.
std::vector<double> levels(const std::vector<std::pair<double, std::size_t>>& stretches,
                           unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<double> values;
  for (const auto& [level, count] : stretches) {
    for (std::size_t i = 0; i < count; ++i) {
      const double uniform =
          static_cast<double>(random()) / static_cast<double>(std::mt19937::max());
      values.push_back(level * (0.995 + 0.01 * uniform));
    }
  }
  return values;
}

TEST_CASE("a step is one change, where it happens", "[core]") {
  CHECK(core::change_points(levels({{100.0, 10}, {105.0, 10}})) == Changes{10});
  CHECK(core::change_points(levels({{100.0, 30}, {95.0, 4}})) == Changes{30});
}

TEST_CASE("a step is seen after four values, three or two, as many came before", "[core]") {
  CHECK(core::change_points(levels({{100.0, 4}, {105.0, 4}})) == Changes{4});
  CHECK(core::change_points(levels({{100.0, 5}, {105.0, 3}})) == Changes{5});
  CHECK(core::change_points(levels({{100.0, 10}, {105.0, 2}})) == Changes{10});
  CHECK(core::change_points(levels({{100.0, 3}, {105.0, 3}})).empty());
  CHECK(core::change_points(levels({{100.0, 20}, {105.0, 1}})).empty());
}

TEST_CASE("one value that is far off does not hide a step", "[core]") {
  for (std::size_t odd = 0; odd < 12; ++odd) {
    std::vector<double> values = levels({{100.0, 6}, {108.0, 6}});
    values[odd] *= odd % 2 == 0 ? 1.5 : 0.6;
    CAPTURE(odd);
    CHECK_FALSE(core::change_points(values).empty());
  }
}

TEST_CASE("several steps are several changes", "[core]") {
  CHECK(core::change_points(levels({{100.0, 8}, {110.0, 8}, {100.0, 8}})) == Changes{8, 16});
  CHECK(core::change_points(levels({{100.0, 6}, {90.0, 6}, {80.0, 6}})) == Changes{6, 12});
}

TEST_CASE("a creep is at least one change", "[core]") {
  std::vector<double> values = levels({{100.0, 20}});
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= 1.0 + 0.005 * static_cast<double>(i);
  CHECK_FALSE(core::change_points(values).empty());
}

TEST_CASE("of series without a change one in twenty has one by chance", "[core]") {
  int found = 0;
  constexpr int kSeries = 200;
  for (unsigned seed = 0; seed < kSeries; ++seed) {
    if (!core::change_points(levels({{100.0, 15}}, seed)).empty()) ++found;
  }
  CHECK(found < 20);  // 10 expected; as many as 20 in a thousandth of all trials
}

TEST_CASE("equal values and short series have no change", "[core]") {
  CHECK(core::change_points(std::vector<double>(30, 7.0)).empty());
  CHECK(core::change_points(std::vector<double>{1.0, 9.0, 1.0}).empty());
  CHECK(core::change_points({}).empty());
  const std::vector<double> values(5, std::numeric_limits<double>::quiet_NaN());
  CHECK_THROWS_AS(core::change_points(values), core::UsageError);
}

}  // namespace
}  // namespace fa3prof::tests
