// Pipelines whose loop goes over query rows: FlashAttention-1's order.
#include "sim/row_loop.h"

#include "sim/engine.h"
#include "sim/timeline.h"
#include "tests/catch.h"
#include "tests/sim/from_text.h"

#include <numeric>

namespace fa3prof::tests {
namespace {

using core::AttentionProblem;
using sim::Engine;

AttentionProblem problem_of(std::int64_t seqlen_q, std::int64_t seqlen_kv, bool is_causal) {
  return {.batch = 2,
          .num_heads = 16,
          .num_heads_kv = 16,
          .seqlen_q = seqlen_q,
          .seqlen_kv = seqlen_kv,
          .head_dim = 128,
          .is_causal = is_causal};
}

double cycles(const AttentionProblem& problem, Engine engine = Engine::kDiscreteEvent) {
  const sim::Machine machine = sim::load_machine("h200_sxm");
  return *sim::simulate(engine, machine, sim::load_pipeline("fa1"), problem).cycles;
}

/// A CTA's program of 100 cycles for each key block and 10 for each tile of rows, on two SMs.
sim::Pipeline counted_pipeline() {
  return pipeline_from(
      R"({"name": "rows", "dtypes": ["fp16"], "ctas_per_sm": 1, "is_persistent": false,
      "order": "grid", "loop_over": "rows",
      "tiles": [{"tile_m": 16, "tile_n": 128, "stages": 1}],
      "roles": [{"name": "warps", "warps": 4, "prologue": [)" +
      delay("keys", 100.0, "issue") + R"(], "loop": [)" + delay("rows", 10.0, "tensor") + "]}]}");
}

sim::Machine two_sms() {
  return machine_from(R"({"name": "two", "description": "test",
      "sm_count": {"value": 2, "source": "test"}})");
}

}  // namespace

TEST_CASE("rows seen by all key blocks are the key blocks seen by all rows", "[sim]") {
  for (const bool is_causal : {false, true}) {
    for (const std::int64_t q : {1, 15, 16, 17, 127, 300, 1000}) {
      for (const std::int64_t kv : {1, 127, 128, 129, 300, 1000}) {
        CAPTURE(is_causal, q, kv);
        const AttentionProblem problem = problem_of(q, kv, is_causal);
        const core::Tile tile{.m = 16, .n = 128};
        const std::vector<std::int64_t> trips = sim::row_trips(problem, tile);
        std::int64_t pairs = 0;
        for (std::int64_t end = 16; end < q + 16; end += 16) {
          pairs += core::key_blocks(problem, end, tile.n);
        }
        CHECK(std::accumulate(trips.begin(), trips.end(), std::int64_t{0}) == pairs);
      }
    }
  }
}

TEST_CASE("a key block is masked for the rows that do not see all its keys", "[sim]") {
  const sim::Pipeline pipeline = sim::load_pipeline("fa1");
  const auto work = [&pipeline](const AttentionProblem& problem, std::int64_t block) {
    return sim::key_block_kind(pipeline, sim::tile_sizes(pipeline, problem), problem, block)
        .works.front();
  };
  const AttentionProblem causal = problem_of(1024, 1024, true);
  CHECK(work(causal, 0) == sim::TileWork{.trips = 64, .masked = 8});
  CHECK(work(causal, 7) == sim::TileWork{.trips = 8, .masked = 8});
  const AttentionProblem ragged = problem_of(1024, 1000, false);
  CHECK(work(ragged, 0) == sim::TileWork{.trips = 64, .masked = 0});
  CHECK(work(ragged, 7) == sim::TileWork{.trips = 64, .masked = 64});
}

TEST_CASE("a head is one CTA's, key block after key block, in both engines", "[sim]") {
  AttentionProblem problem = problem_of(160, 512, false);
  problem.batch = 1;
  const double head = 4 * (100.0 + 10 * 10.0);
  for (const Engine engine : {Engine::kClosedForm, Engine::kDiscreteEvent}) {
    CAPTURE(sim::name_of(engine));
    for (const auto& [heads, in_a_row] : {std::pair{1, 1}, {2, 1}, {3, 2}, {4, 2}}) {
      problem.num_heads = problem.num_heads_kv = heads;
      const core::Result result = sim::simulate(engine, two_sms(), counted_pipeline(), problem);
      CHECK_THAT(*result.cycles, WithinRel(in_a_row * head, 1e-6));
    }
  }
}

TEST_CASE("fa1 leaves SMs idle where there are fewer heads than SMs", "[sim]") {
  AttentionProblem problem = problem_of(512, 512, false);
  const double of_32_heads = cycles(problem);
  problem.batch = 4;
  CHECK_THAT(cycles(problem), WithinRel(of_32_heads, 0.01));
  problem.batch = 17;
  CHECK(cycles(problem) > 1.3 * of_32_heads);
}

TEST_CASE("what the loops go round over misses L2 where it does not fit", "[sim]") {
  const sim::Machine machine = sim::load_machine("h200_sxm");
  const auto misses = [&machine](const AttentionProblem& problem) {
    sim::Pipeline pipeline = sim::load_pipeline("fa1");
    const sim::TileSizes sizes = sim::tile_sizes(pipeline, problem);
    sim::find_misses(machine, problem, sizes, pipeline);
    return sim::missed_bytes(pipeline, problem, sizes.tile);
  };
  CHECK(misses(problem_of(1024, 1024, false)) == 0.0);
  // Of each pair of 16 rows and 128 keys: Q in 16 bits, O in 32 bits to and fro.
  const double of_pair = 16.0 * 128.0 * (2.0 + 4.0 + 4.0);
  CHECK_THAT(misses(problem_of(8192, 8192, false)), WithinRel(32.0 * 512.0 * 64.0 * of_pair, 1e-9));
}

TEST_CASE("both engines agree on fa1 without a mask, and a mask halves its work", "[sim]") {
  const double events = cycles(problem_of(4096, 4096, false));
  CHECK_THAT(cycles(problem_of(4096, 4096, false), Engine::kClosedForm), WithinRel(events, 0.25));
  const double ratio = cycles(problem_of(4096, 4096, true)) / events;
  CHECK(ratio > 0.5);
  CHECK(ratio < 0.6);
}

TEST_CASE("a timeline of fa1 shows key blocks of the SM's heads", "[sim]") {
  const core::Process process = sim::simulate_timeline({.machine = sim::load_machine("h200_sxm"),
                                                        .pipeline = sim::load_pipeline("fa1"),
                                                        .problem = problem_of(256, 512, false)});
  CHECK_FALSE(process.tracks.empty());
  CHECK_THAT(process.name, contains("3 tiles"));
}

TEST_CASE("what contradicts a loop over rows is refused", "[sim]") {
  const auto error_with = [](const std::string& more) {
    return error_of([&more] {
      static_cast<void>(pipeline_from(
          R"({"name": "rows", "dtypes": ["fp16"], "ctas_per_sm": 1, "loop_over": "rows", )" + more +
          R"(, "tiles": [{"tile_m": 16, "tile_n": 128, "stages": 1}],
          "roles": [{"name": "warps", "warps": 4, "loop": []}]})"));
    });
  };
  CHECK_THAT(error_with(R"("is_persistent": true, "order": "grid")"), contains("not persistent"));
  CHECK_THAT(error_with(R"("is_persistent": false, "order": "longest_first")"),
             contains("in the order grid"));
  CHECK_THAT(error_with(R"("is_persistent": false, "order": "grid", "peeled_blocks": 1)"),
             contains("no key blocks to peel"));
}

TEST_CASE("buffers in registers are loaded by registers and take no shared memory", "[sim]") {
  const auto text = [](const std::string& by) {
    return R"({"name": "registers", "dtypes": ["fp16"], "ctas_per_sm": 1, "is_persistent": false,
      "order": "grid", "tiles": [{"tile_m": 128, "tile_n": 128, "stages": 1}],
      "buffers": {"k": {"bytes": 4096}, "state": {"bytes": 8192, "in": "registers"}},
      "roles": [{"name": "warps", "warps": 4, "loop": [
        {"load": "state", "by": ")" +
           by + R"("}, {"wait_group": "state"}]}]})";
  };
  const sim::Pipeline pipeline = pipeline_from(text("registers"));
  CHECK(sim::shared_memory_bytes(pipeline, {}) == 4096.0);
  CHECK_THAT(error_of([&] { static_cast<void>(pipeline_from(text("cp_async"))); }),
             contains("this buffer is in registers"));
}

}  // namespace fa3prof::tests
