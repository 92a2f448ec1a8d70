#include "src/numerics/guide_experiment.h"

#include "src/numerics/numpy_random.h"
#include "tests/catch.h"

#include <cmath>

namespace fa3prof::tests {
namespace {

double rounded(double value, int digits) {
  return std::round(value * std::pow(10.0, digits)) / std::pow(10.0, digits);
}

TEST_CASE("seed 42 gives NumPy's published numbers", "[numerics]") {
  // numpy.random.RandomState(42).randn(6), NumPy 1.24.
  numerics::NumpyRandom random(42);
  for (const double expected : {0.49671415301123267, -0.13826430117118466, 0.6476885381006925,
                                1.5230298564080254, -0.23415337472333597, -0.23413695694918055}) {
    CHECK_THAT(random.normal(), WithinRel(expected, 1e-14));
  }
}

TEST_CASE("the guide's experiment gives the guide's figures to the printed digits", "[numerics]") {
  const numerics::GuideExperiment guide = numerics::guide_experiment();
  CHECK(rounded(guide.grid_tensor.mse, 6) == 0.002892);
  CHECK(rounded(guide.grid_tensor.cosine, 6) == 0.999607);
  CHECK(rounded(guide.grid_row.mse, 6) == 0.000342);
  CHECK(rounded(guide.grid_row.cosine, 6) == 0.999953);
  CHECK(rounded(guide.grid_mse_ratio(), 2) == 8.46);
}

TEST_CASE("in double the last printed digit of the guide's cosines differs", "[numerics]") {
  const numerics::GuideExperiment guide = numerics::guide_experiment();
  CHECK(rounded(guide.grid_tensor.exact_cosine, 6) == 0.999606);
  CHECK(rounded(guide.grid_row.exact_cosine, 6) == 0.999954);
}

TEST_CASE("in E4M3 the guide's row scales gain far less than on its integer grid", "[numerics]") {
  const numerics::GuideExperiment guide = numerics::guide_experiment();
  CHECK(guide.e4m3_tensor.mse > guide.grid_tensor.mse);
  CHECK(guide.e4m3_mse_ratio() < 0.25 * guide.grid_mse_ratio());
}

}  // namespace
}  // namespace fa3prof::tests
