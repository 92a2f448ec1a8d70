#include "src/numerics/published_table.h"

#include "tests/catch.h"

namespace fa3prof::tests {
namespace {

TEST_CASE("already one head puts the paper's six errors in the paper's order", "[numerics]") {
  const auto table = numerics::published_table(1, 64, 2);
  REQUIRE(table.rows.size() == 6);
  const auto rmse = [&table](std::size_t row) { return table.rows[row].rmse; };
  CHECK(rmse(1) < rmse(0));                      // flash before standard in FP16
  CHECK(20.0 * rmse(0) < rmse(3));               // FP8 far behind
  CHECK(1.3 * rmse(3) < rmse(2));                // FP8 flash before standard
  CHECK(1.3 * rmse(3) < rmse(5));                // rotated before not rotated
  CHECK_THAT(rmse(4), WithinRel(rmse(3), 0.3));  // block scales matter little
}

}  // namespace
}  // namespace fa3prof::tests
