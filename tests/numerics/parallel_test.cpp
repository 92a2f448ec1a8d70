#include "src/numerics/parallel.h"

#include "tests/catch.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <vector>

namespace fa3prof::tests {
namespace {

TEST_CASE("every index is visited exactly once, in chunks of at most the given length",
          "[numerics]") {
  const std::int64_t count = GENERATE(0, 1, 7, 1000, 1001);
  std::vector<int> visits(static_cast<std::size_t>(count));
  std::atomic<int> too_long{0};
  numerics::for_each_chunk(count, 10, [&](std::int64_t begin, std::int64_t end) {
    if (end - begin > 10 || end <= begin) ++too_long;
    for (std::int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
  });
  CHECK(too_long == 0);
  CHECK(std::ranges::all_of(visits, [](int n) { return n == 1; }));
}

TEST_CASE("an exception of a body reaches the caller", "[numerics]") {
  const auto body = [](std::int64_t begin, std::int64_t) {
    if (begin == 50) throw std::runtime_error("chunk 50");
  };
  CHECK_THROWS_WITH(numerics::for_each_chunk(100, 1, body), contains("chunk 50"));
}

}  // namespace
}  // namespace fa3prof::tests
