#include "kernels/tile/tile_order.h"

#include "kernels/tile/divisor.h"
#include "sim/pipeline.h"
#include "sim/tile_sequence.h"
#include "src/core/attention_problem.h"
#include "tests/catch.h"

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>

using namespace fa3prof;
using kernels::tile::Divisor;
using kernels::tile::TileOrder;

namespace {

core::AttentionProblem problem_of(std::int64_t batch, std::int64_t heads, std::int64_t heads_kv,
                                  std::int64_t seqlen, bool is_causal) {
  return {.batch = batch,
          .num_heads = heads,
          .num_heads_kv = heads_kv,
          .seqlen_q = seqlen,
          .seqlen_kv = seqlen,
          .head_dim = 128,
          .is_causal = is_causal};
}

}  // namespace

TEST_CASE("a divisor's quotient is right around every multiple", "[kernels][tile]") {
  constexpr int kMost = std::numeric_limits<int>::max();
  for (const int value : {1, 2, 3, 5, 7, 64, 65, 641, 6'700'417, 1 << 30, kMost - 1, kMost}) {
    const Divisor divisor(value);
    CHECK(divisor.value() == value);
    const int last = kMost / value;
    for (const int quotient : {0, 1, 2, 3, last / 3, last / 2, last - 1, last}) {
      if (quotient < 0 || quotient > last) continue;
      const std::int64_t multiple = std::int64_t{quotient} * value;
      CAPTURE(value, multiple);
      CHECK(divisor.quotient(static_cast<int>(multiple)) == quotient);
      if (multiple > 0) CHECK(divisor.quotient(static_cast<int>(multiple - 1)) == quotient - 1);
    }
    CHECK(divisor.quotient(kMost) == last);
  }
}

TEST_CASE("a divisor's quotient is right for every small pair of numbers", "[kernels][tile]") {
  int wrong = 0;
  for (int value = 1; value <= 300; ++value) {
    const Divisor divisor(value);
    for (int dividend = 0; dividend <= 3000; ++dividend) {
      if (divisor.quotient(dividend) != dividend / value) ++wrong;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("tile numbers reach every tile once, in the order that the simulator plays",
          "[kernels][tile]") {
  const std::string name = GENERATE(as<std::string>{}, "fa2", "fa3_fp16");
  const bool is_causal = GENERATE(false, true);
  // Of these, the long ones with a mask have several sections, the last smaller than the others.
  const core::AttentionProblem problem =
      GENERATE_COPY(problem_of(1, 1, 1, 100, is_causal), problem_of(3, 5, 5, 1000, is_causal),
                    problem_of(2, 12, 4, 16384, is_causal), problem_of(1, 9, 9, 30000, is_causal));
  CAPTURE(name, is_causal, problem.seqlen_q, problem.num_heads);

  const TileOrder order = kernels::tile::tile_order(problem, 128);
  const sim::Pipeline pipeline = sim::load_pipeline(name);
  sim::TileSequence simulated(pipeline, problem, order.row_blocks.value());
  REQUIRE(simulated.tiles() == order.tiles);
  std::set<std::pair<int, int>> reached;
  bool same_order = true;
  for (int index = 0; index < order.tiles; ++index) {
    const auto [row_block, pair] = kernels::tile::position_of(order, index);
    same_order = same_order && simulated.draw() == row_block;
    if (pair < 0 || pair >= problem.batch * problem.num_heads) FAIL("no such pair: " << pair);
    CHECK(kernels::tile::batch_of(order, pair) == pair / problem.num_heads);
    CHECK(kernels::tile::head_of(order, pair) == pair % problem.num_heads);
    reached.insert({row_block, pair});
  }
  CHECK(same_order);
  CHECK(reached.size() == static_cast<std::size_t>(order.tiles));
}
