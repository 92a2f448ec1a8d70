#include "src/profile/guard_zones.h"

#include "tests/catch.h"

#include <vector>

namespace fa3prof::tests {
namespace {

using profile::find_overwrite;

TEST_CASE("whole guard zones show no overwrite", "[profile]") {
  const std::vector<std::uint8_t> whole(profile::kGuardBytes, profile::kGuardByte);
  CHECK_FALSE(find_overwrite("O", {whole, whole}).has_value());
}

TEST_CASE("an overwrite is named by tensor, side and distance", "[profile]") {
  const std::vector<std::uint8_t> whole(profile::kGuardBytes, profile::kGuardByte);
  std::vector<std::uint8_t> touched = whole;
  SECTION("the first byte past the end") {
    touched.front() = 0;
    CHECK(find_overwrite("O", {whole, touched}) ==
          "O was written out of bounds, 0 bytes past its end");
  }
  SECTION("the last byte of the zone") {
    touched.back() = 0;
    CHECK(find_overwrite("LSE", {whole, touched}) ==
          "LSE was written out of bounds, 65535 bytes past its end");
  }
  SECTION("two places before the beginning: the nearer one") {
    touched[touched.size() - 4] = touched[0] = 0xFF;
    CHECK(find_overwrite("O", {touched, whole}) ==
          "O was written out of bounds, 4 bytes before its beginning");
  }
}

}  // namespace
}  // namespace fa3prof::tests
