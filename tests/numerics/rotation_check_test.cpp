#include "src/numerics/rotation_check.h"

#include "tests/catch.h"

namespace fa3prof::tests {
namespace {

TEST_CASE("rotation changes no score by more than the rounding of FP64, up to head_dim 512",
          "[numerics]") {
  const auto errors = numerics::rotation_errors(1);
  REQUIRE(errors.size() == 10);
  CHECK(errors.front().head_dim == 1);
  CHECK(errors.back().head_dim == 512);
  for (const auto& error : errors) CHECK(error.max_relative < 8 * 1.1e-16);
}

}  // namespace
}  // namespace fa3prof::tests
