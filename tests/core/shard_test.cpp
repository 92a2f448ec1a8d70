#include "src/core/shard.h"

#include "src/core/error.h"
#include "tests/catch.h"

namespace fa3prof::tests {
namespace {

TEST_CASE("shards of any count have every problem exactly once", "[core]") {
  for (int count = 1; count <= 9; ++count) {
    for (std::size_t problem = 0; problem < 40; ++problem) {
      int owners = 0;
      for (int index = 1; index <= count; ++index) {
        if (core::is_in({.index = index, .count = count}, problem)) ++owners;
      }
      CAPTURE(count, problem);
      CHECK(owners == 1);
    }
  }
}

TEST_CASE("a shard is written I/N, from 1 to N", "[core]") {
  CHECK(core::parse_shard("2/8", "--shard") == core::Shard{.index = 2, .count = 8});
  for (const char* text :
       {"", "2", "0/8", "9/8", "2/", "/8", "-1/8", "1/8/9", "a/b", "1.0/2", "1/99999999999"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(core::parse_shard(text, "--shard"), contains("--shard: '"));
  }
}

}  // namespace
}  // namespace fa3prof::tests
