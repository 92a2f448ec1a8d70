#include "src/numerics/hadamard.h"

#include "src/core/error.h"
#include "src/numerics/numpy_random.h"
#include "tests/catch.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace fa3prof::tests {
namespace {

TEST_CASE("a unit vector becomes a row of the Hadamard matrix over sqrt(head_dim)", "[numerics]") {
  std::vector<float> row{0.0F, 1.0F, 0.0F, 0.0F};
  numerics::rotate_rows(std::span<float>(row), std::vector<float>{1.0F, -1.0F, 1.0F, 1.0F});
  CHECK(row == std::vector<float>{-0.5F, 0.5F, -0.5F, 0.5F});
}

TEST_CASE("rotating Q and K alike leaves their product as it is, to the rounding of doubles",
          "[numerics]") {
  const std::int64_t head_dim = GENERATE(1, 2, 4, 8, 16, 32, 64, 128, 256, 512);
  numerics::NumpyRandom random(7);
  std::vector<double> q(static_cast<std::size_t>(head_dim));
  std::vector<double> k(q.size());
  for (double& value : q) value = random.normal();
  for (double& value : k) value = random.normal();
  const auto dot = [&] {
    double sum = 0.0;
    for (std::size_t i = 0; i < q.size(); ++i) sum += q[i] * k[i];
    return sum;
  };
  const double expected = dot();
  const auto signs = numerics::random_signs(head_dim, 3);
  numerics::rotate_rows(std::span<double>(q), signs);
  numerics::rotate_rows(std::span<double>(k), signs);
  CHECK_THAT(dot(), WithinAbs(expected, 1e-15 * static_cast<double>(head_dim)));
}

TEST_CASE("an outlier's energy is spread over its whole row", "[numerics]") {
  std::vector<float> row(128, 0.0F);
  row[19] = 12.0F;
  numerics::rotate_rows(std::span<float>(row), numerics::random_signs(128, 1));
  for (const float value : row) {
    CHECK_THAT(std::abs(value), WithinRel(12.0F / std::sqrt(128.0F), 1e-6F));
  }
}

TEST_CASE("signs depend on the seed, are both, and a longer row starts like a shorter one",
          "[numerics]") {
  const auto signs = numerics::random_signs(512, 1);
  const auto positive = std::ranges::count(signs, 1.0F);
  CHECK(positive + std::ranges::count(signs, -1.0F) == 512);
  CHECK(std::abs(static_cast<double>(positive) - 256.0) < 4.0 * std::sqrt(128.0));
  CHECK(numerics::random_signs(512, 2) != signs);
  CHECK(std::ranges::equal(numerics::random_signs(64, 1), std::span(signs).first(64)));
}

TEST_CASE("a head_dim that is no power of two is refused with the cure", "[numerics]") {
  for (const std::int64_t head_dim : {0, 3, 96, 192}) {
    CHECK_THROWS_AS(numerics::require_rotation(head_dim), core::UsageError);
  }
  CHECK_THROWS_WITH(numerics::require_rotation(96),
                    contains("head_dim 96") && contains("--hadamard off"));
  std::vector<float> rows(6);
  CHECK_THROWS_AS(numerics::rotate_rows(std::span<float>(rows), numerics::random_signs(4, 1)),
                  core::UsageError);
}

}  // namespace
}  // namespace fa3prof::tests
