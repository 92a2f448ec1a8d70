#include "src/numerics/error_metrics.h"

#include "src/core/error.h"
#include "tests/catch.h"

#include <cmath>
#include <limits>
#include <vector>

namespace fa3prof::tests {
namespace {

using numerics::compare;
using Values = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST_CASE("error metrics match a case computed by hand", "[numerics]") {
  const auto metrics = compare(Values{3.0, 4.0, 0.0, 0.0}, Values{3.0, 4.5, 0.0, -0.5});
  CHECK_THAT(metrics.relative_error, WithinRel(std::sqrt(0.5) / 5.0, 1e-15));
  CHECK_THAT(metrics.rmse, WithinRel(std::sqrt(0.125), 1e-15));
  CHECK(metrics.max_abs_error == 0.5);
  CHECK(metrics.non_finite == 0);
  CHECK(metrics.elements == 4);
}

TEST_CASE("equal tensors have no error, even when all are zero", "[numerics]") {
  CHECK(compare(Values{1.0, -2.0}, Values{1.0, -2.0}).relative_error == 0.0);
  CHECK(compare(Values{0.0, 0.0}, Values{0.0, -0.0}).relative_error == 0.0);
}

TEST_CASE("an error against a zero reference is infinitely large", "[numerics]") {
  const auto metrics = compare(Values{0.0, 0.0}, Values{0.0, 1e-3});
  CHECK(metrics.relative_error == kInfinity);
  CHECK(metrics.max_abs_error == 1e-3);
}

TEST_CASE("one NaN or unmatched infinity makes every error infinite", "[numerics]") {
  const Values reference(1000, 1.0);
  const double bad = GENERATE(-kInfinity, +kInfinity, +kNaN);  // Catch2 v2 would keep references
  for (const std::size_t place : {std::size_t{0}, std::size_t{500}, std::size_t{999}}) {
    Values actual = reference;
    actual[place] = bad;
    const auto metrics = compare(reference, actual);
    CHECK_FALSE(metrics.relative_error < 1e300);
    CHECK_FALSE(metrics.max_abs_error < 1e300);
    CHECK_FALSE(metrics.rmse < 1e300);
    CHECK(metrics.non_finite == 1);
  }
}

TEST_CASE("a NaN never matches, not even a NaN of the reference", "[numerics]") {
  CHECK(compare(Values{kNaN}, Values{kNaN}).non_finite == 1);
  CHECK(compare(Values{kNaN}, Values{1.0}).relative_error == kInfinity);
}

TEST_CASE("the same infinity on both sides is no error, the opposite one is", "[numerics]") {
  const auto same = compare(Values{-kInfinity, 2.0}, Values{-kInfinity, 2.5});
  CHECK(same.max_abs_error == 0.5);
  CHECK(same.relative_error == 0.25);
  CHECK(same.non_finite == 0);
  CHECK(compare(Values{-kInfinity}, Values{kInfinity}).non_finite == 1);
  CHECK(compare(Values{-kInfinity}, Values{-1e30}).max_abs_error == kInfinity);
}

TEST_CASE("comparing nothing or different lengths is refused", "[numerics]") {
  CHECK_THROWS_AS(compare(Values{}, Values{}), core::UsageError);
  CHECK_THROWS_WITH(compare(Values{1.0, 2.0}, Values{1.0}), contains("1 values with 2 reference"));
}

}  // namespace
}  // namespace fa3prof::tests
