#include "src/core/problem_grid.h"

#include "src/core/error.h"
#include "tests/catch.h"

#include <string>
#include <vector>

namespace fa3prof::tests {
namespace {

using core::AttentionProblem;
using core::ProblemGrid;
using Sizes = std::vector<std::int64_t>;

TEST_CASE("sizes are written plainly, in powers or in binary thousands", "[core]") {
  CHECK(core::parse_sizes("8192", "--seq") == Sizes{8192});
  CHECK(core::parse_sizes("512,1k,2^14", "--seq") == Sizes{512, 1024, 16384});
  CHECK(core::parse_sizes("2K,1m,1M", "--seq") == Sizes{2048, 1048576, 1048576});
  CHECK(core::parse_sizes("2147483647", "--seq") == Sizes{2147483647});
  CHECK(core::parse_sizes("1^99,3^2", "--seq") == Sizes{1, 9});
}

TEST_CASE("a bad size is refused with the flag and the item", "[core]") {
  const std::string item = GENERATE("", "0", "-1", "1.5", "x", "k", "2kk", "1 ", " 1", "0x10", "2^",
                                    "^2", "2^31", "2^-1", "2^3^4", "2147483648", "2097152k", "9m9",
                                    "99999999999999999999", "2^4000000000");
  CAPTURE(item);
  CHECK_THROWS_AS(core::parse_sizes(item, "--seq"), core::UsageError);
  CHECK_THROWS_WITH(core::parse_sizes("512," + item, "--seq"),
                    contains("--seq: '" + item + "' is no size"));
}

TEST_CASE("a list with a missing item is refused", "[core]") {
  const std::string list = GENERATE("1,", ",1", "1,,2", ",");
  CHECK_THROWS_AS(core::parse_sizes(list, "--seq"), core::UsageError);
}

TEST_CASE("an empty grid is the papers' problem at 8192 tokens", "[core]") {
  const auto problems = core::expand({});
  REQUIRE(problems.size() == 1);
  CHECK(problems[0] == AttentionProblem{.batch = 2,
                                        .num_heads = 16,
                                        .num_heads_kv = 16,
                                        .seqlen_q = 8192,
                                        .seqlen_kv = 8192,
                                        .head_dim = 128});
}

TEST_CASE("defaults keep 16k tokens and hidden size 2048, at least one of each", "[core]") {
  ProblemGrid grid;
  grid.head_dims = {64, 256, 4096};
  grid.seqlens_q = {512, 16384, 131072};
  const auto problems = core::expand(grid);
  REQUIRE(problems.size() == 9);
  CHECK(problems[0].batch == 32);
  CHECK(problems[0].num_heads == 32);
  CHECK(problems[1].batch == 1);
  CHECK(problems[2].batch == 1);
  CHECK(problems[3].num_heads == 8);
  CHECK(problems[8].num_heads == 1);
  for (const AttentionProblem& problem : problems) {
    CHECK(problem.seqlen_kv == problem.seqlen_q);
    CHECK(problem.num_heads_kv == problem.num_heads);
  }
}

TEST_CASE("expand is the product with the last field varying fastest", "[core]") {
  ProblemGrid grid;
  grid.causal = {false, true};
  grid.seqlens_q = {64, 128};
  grid.num_heads = {8};
  grid.num_heads_kv = {8, 2};
  const auto problems = core::expand(grid);
  REQUIRE(problems.size() == 8);
  CHECK(problems[0].num_heads_kv == 8);
  CHECK(problems[1].num_heads_kv == 2);
  CHECK(problems[1].seqlen_q == 64);
  CHECK(problems[2].seqlen_q == 128);
  CHECK_FALSE(problems[3].is_causal);
  CHECK(problems[4].is_causal);
}

TEST_CASE("an impossible combination in a grid is refused", "[core]") {
  ProblemGrid grid;
  grid.num_heads = {6};
  grid.num_heads_kv = {6, 4};
  CHECK_THROWS_AS(core::expand(grid), core::UsageError);
  grid = {};
  grid.batches = {0};
  CHECK_THROWS_WITH(core::expand(grid), contains("batch is 0"));
}

TEST_CASE("an override replaces only the lists that it states", "[core]") {
  ProblemGrid base;
  base.seqlens_q = {512, 1024};
  base.batches = {4};
  ProblemGrid overrides;
  overrides.causal = {true};
  overrides.seqlens_q = {2048};
  const ProblemGrid merged = core::merge(base, overrides);
  CHECK(merged.seqlens_q == Sizes{2048});
  CHECK(merged.batches == Sizes{4});
  CHECK(merged.causal == std::vector<bool>{true});
  CHECK(merged.num_heads.empty());
}

}  // namespace
}  // namespace fa3prof::tests
