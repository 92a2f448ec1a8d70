#include "src/cli/problem_options.h"

#include "src/cli/text_list.h"
#include "src/core/error.h"
#include "tests/catch.h"

using namespace fa3prof;
using namespace fa3prof::tests;

namespace {

core::ProblemGrid grid_of(const std::string& flags) {
  CLI::App app;
  core::ProblemGrid grid;
  cli::add_problem_options(app, grid);
  app.parse(flags);
  return grid;
}

}  // namespace

TEST_CASE("Only stated flags fill the grid", "[cli]") {
  const core::ProblemGrid grid = grid_of("--seq 512,1k --kv-heads 2");
  CHECK(grid.seqlens_q == std::vector<std::int64_t>{512, 1024});
  CHECK(grid.num_heads_kv == std::vector<std::int64_t>{2});
  CHECK(grid.seqlens_kv.empty());
  CHECK(grid.causal.empty());
  CHECK(grid.dtypes.empty());
}

TEST_CASE("Flags --causal and --no-causal together mean both, in the order given", "[cli]") {
  CHECK(grid_of("--causal").causal == std::vector<bool>{true});
  CHECK(grid_of("--no-causal").causal == std::vector<bool>{false});
  CHECK(grid_of("--causal --no-causal").causal.size() == 2);
}

TEST_CASE("Flag --dtype takes a list", "[cli]") {
  CHECK(grid_of("--dtype fp16,bf16").dtypes ==
        std::vector<core::DataType>{core::DataType::kFloat16, core::DataType::kBFloat16});
  CHECK_THROWS_WITH(grid_of("--dtype fp4"), contains("fp4") && contains("fp16"));
}

TEST_CASE("A bad size names its flag", "[cli]") {
  const std::string text = GENERATE("0", "-1", "1e3", "99999999999", "512,", "x");
  CHECK_THROWS_WITH(grid_of("--batch=" + text), contains("--batch"));
}

TEST_CASE("A list of words refuses empty and repeated ones", "[cli]") {
  CHECK(cli::split_list("a,b", "--kernel") == std::vector<std::string>{"a", "b"});
  CHECK_THROWS_WITH(cli::split_list("a,,b", "--kernel"), contains("--kernel"));
  CHECK_THROWS_WITH(cli::split_list("", "--kernel"), contains("--kernel"));
  CHECK_THROWS_WITH(cli::split_list("a,a", "--kernel"), contains("twice"));
}
