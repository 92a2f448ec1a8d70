#include "sim/discrete_event.h"

#include "sim/engine.h"
#include "sim/tile_sequence.h"
#include "sim/tile_works.h"
#include "src/core/error.h"
#include "tests/catch.h"
#include "tests/sim/from_text.h"
#include "tests/sim/unit_rates.h"

#include <numeric>

namespace fa3prof::tests {
namespace {

constexpr auto kEngine = sim::Engine::kDiscreteEvent;

core::AttentionProblem problem(std::int64_t seqlen, bool is_causal, std::int64_t head_dim = 128) {
  return {.batch = 2,
          .num_heads = 2048 / head_dim,
          .num_heads_kv = 2048 / head_dim,
          .seqlen_q = seqlen,
          .seqlen_kv = seqlen,
          .head_dim = head_dim,
          .is_causal = is_causal};
}

double cycles_on(const sim::Machine& machine, const sim::Pipeline& pipeline,
                 const core::AttentionProblem& p, sim::Engine engine = kEngine) {
  return *sim::simulate(engine, machine, pipeline, p).cycles;
}

/// Kernels and the head dimensions that they serve.
struct Kernel {
  const char* pipeline;
  std::int64_t head_dim;
};

const std::vector<Kernel> kKernels{{"fa2", 64},      {"fa2", 128},      {"fa2", 256},
                                   {"fa3_fp16", 64}, {"fa3_fp16", 128}, {"fa3_fp16", 256}};

}  // namespace

TEST_CASE("every elapsed cycle belongs to one part", "[sim]") {
  const auto machine = sim::load_machine("h200_sxm");
  for (const Kernel& kernel : kKernels) {
    const auto pipeline = sim::load_pipeline(kernel.pipeline);
    for (const bool is_causal : {false, true}) {
      for (const std::int64_t seqlen : {1, 129, 512, 5000}) {
        const auto result =
            sim::simulate(kEngine, machine, pipeline, problem(seqlen, is_causal, kernel.head_dim));
        CHECK(result.source == core::ResultSource::kDiscreteEvent);
        double sum = 0.0;
        for (const auto& part : result.breakdown) {
          CHECK(part.cycles >= -1e-6);
          sum += part.cycles;
        }
        CHECK_THAT(sum, WithinRel(*result.cycles, 1e-12));
      }
    }
  }
}

TEST_CASE("the event engine gives the same result each time", "[sim]") {
  const auto machine = sim::load_machine("h200_sxm");
  for (const Kernel& kernel : kKernels) {
    const auto pipeline = sim::load_pipeline(kernel.pipeline);
    const auto p = problem(3000, true, kernel.head_dim);
    CHECK(cycles_on(machine, pipeline, p) == cycles_on(machine, pipeline, p));
  }
}

TEST_CASE("the event engine is never faster than the closed form", "[sim]") {
  const auto machine = sim::load_machine("h200_sxm");
  for (const Kernel& kernel : kKernels) {
    const auto pipeline = sim::load_pipeline(kernel.pipeline);
    for (const std::int64_t seqlen : {512, 4096, 16384}) {
      const auto p = problem(seqlen, false, kernel.head_dim);
      CHECK(cycles_on(machine, pipeline, p) >=
            0.999 * cycles_on(machine, pipeline, p, sim::Engine::kClosedForm));
    }
  }
}

TEST_CASE("SMs without work change nothing about what limits the others", "[sim]") {
  const auto machine = sim::load_machine("h200_sxm");
  const auto pipeline = sim::load_pipeline("fa1");
  const auto limiter_of = [&](std::int64_t heads) {
    const core::AttentionProblem p{.batch = 1,
                                   .num_heads = heads,
                                   .num_heads_kv = heads,
                                   .seqlen_q = 2048,
                                   .seqlen_kv = 2048,
                                   .head_dim = 128};
    return sim::simulate(kEngine, machine, pipeline, p).limiter;
  };
  CHECK(limiter_of(1) == limiter_of(machine.sm_count));
  CHECK(limiter_of(1) != "tensor");
}

TEST_CASE("the last CTAs of a grid have SMs to themselves", "[sim]") {
  const auto machine = sim::load_machine("h200_sxm");
  const auto pipeline = sim::load_pipeline("fa2");
  const auto cycles_of = [&](std::int64_t ctas) {
    const core::AttentionProblem p{.num_heads = ctas,
                                   .num_heads_kv = ctas,
                                   .seqlen_q = 128,
                                   .seqlen_kv = 1152,
                                   .head_dim = 128};
    return cycles_on(machine, pipeline, p);
  };
  const std::int64_t full = 2 * machine.sm_count;
  // A launch is in both summands and only once in the sum.
  CHECK(cycles_of(full + 6) < cycles_of(full) + cycles_of(6));
  CHECK(cycles_of(full + 6) > cycles_of(full) + 0.9 * cycles_of(6));
}

TEST_CASE("the engines agree where nothing contends", "[sim]") {
  const auto machine = machine_from(
      R"({"name": "m", "sm_count": {"value": 4, "source": "s"},
          "mbarrier_cycles": {"value": 0, "source": "s"}})");
  const auto check = [&](const std::string& barriers, const std::string& roles) {
    const auto pipeline = pipeline_from(pipeline_text(barriers, roles));
    for (const std::int64_t seqlen : {128, 1024, 4096}) {
      const auto p = problem(seqlen, false);
      CHECK_THAT(cycles_on(machine, pipeline, p),
                 WithinRel(cycles_on(machine, pipeline, p, sim::Engine::kClosedForm), 1e-9));
    }
  };
  check("{}", R"([{"name": "r", "warps": 4, "loop": [)" + delay("g", 60, "tensor") + ", " +
                  delay("s", 40, "mufu") + "]}]");
  check(
      R"({"full": {"kind": "mbarrier"}, "empty": {"kind": "mbarrier", "initially_free": "stages"}})",
      R"([{"name": "producer", "warps": 1, "loop": [{"wait": "empty"}, )" +
          delay("l", 30, "load", R"(, "signals": "full")") +
          R"(]}, {"name": "consumer", "warps": 4, "loop": [{"wait": "full"}, )" +
          delay("g", 50, "tensor", R"(, "is_async": true)") + ", " + delay("s", 20, "mufu") +
          R"(, {"wait_group": "g"}, {"arrive": "empty"}]}])");
}

TEST_CASE("a faster unit is never slower event by event", "[sim]") {
  const auto index = GENERATE(range(std::size_t{0}, kUnitRates.size()));
  const sim::Machine machine = sim::load_machine("h200_sxm");
  const sim::Machine faster = doubled(machine, kUnitRates.at(index));
  for (const Kernel& kernel : kKernels) {
    const auto pipeline = sim::load_pipeline(kernel.pipeline);
    for (const bool is_causal : {false, true}) {
      const auto p = problem(2048, is_causal, kernel.head_dim);
      // Who comes first may change with the speeds, and another order of events cost a little.
      CHECK(cycles_on(faster, pipeline, p) <= 1.02 * cycles_on(machine, pipeline, p));
    }
  }
}

TEST_CASE("more stages are never slower event by event", "[sim]") {
  auto machine = sim::load_machine("h200_sxm");
  machine.shared_memory_per_cta_bytes.reset();
  machine.shared_memory_per_sm_bytes.reset();
  // Loads under way share the memory and the L2, where more of them keep the first ones waiting.
  machine.hbm_bytes_per_s.reset();
  machine.l2_bytes_per_cycle = 1e9;
  machine.tma_latency_cycles = 5000.0;  // so that stages matter
  machine.tma_miss_latency_cycles = 5000.0;
  auto pipeline = sim::load_pipeline("fa3_fp16");
  double before = std::numeric_limits<double>::infinity();
  double first = 0.0;
  for (const int stages : {1, 2, 3, 4, 6}) {
    for (auto& tile : pipeline.tiles) tile.stages = stages;
    const double cycles = cycles_on(machine, pipeline, problem(8192, false));
    // A load that comes earlier may meet another one: a cycle or two in millions.
    CHECK(cycles <= 1.00001 * before);
    before = cycles;
    if (stages == 1) first = cycles;
  }
  CHECK(before < 0.7 * first);
}

TEST_CASE("scaling every cost scales the result event by event", "[sim]") {
  const auto machine = machine_from(
      R"({"name": "m", "sm_count": {"value": 4, "source": "s"},
          "mbarrier_cycles": {"value": 0, "source": "s"}})");
  const auto delays = [](double factor) {
    return pipeline_from(pipeline_text(
        R"({"full": {"kind": "mbarrier"}, "empty": {"kind": "mbarrier", "initially_free": "stages"}})",
        R"([{"name": "producer", "warps": 1, "loop": [{"wait": "empty"}, )" +
            delay("l", 90 * factor, "load", R"(, "signals": "full")") +
            R"(]}, {"name": "consumer", "instances": 2, "warps": 4, "loop": [{"wait": "full"}, )" +
            delay("g", 30 * factor, "tensor", R"(, "is_async": true)") + ", " +
            delay("s", 50 * factor, "mufu") + R"(, {"wait_group": "g"}, {"arrive": "empty"}]}])"));
  };
  for (const std::int64_t seqlen : {128, 1024, 8192}) {
    const double once = cycles_on(machine, delays(1.0), problem(seqlen, false));
    CHECK_THAT(cycles_on(machine, delays(4.0), problem(seqlen, false)),
               WithinRel(4.0 * once, 1e-6));
  }
}

TEST_CASE("a warpgroup passes by the key blocks that none of its rows sees", "[sim]") {
  const auto p = problem(8192, true, 64);
  const auto pipeline = sim::shaped_for(sim::load_pipeline("fa3_fp16"), p);
  const auto sizes = sim::tile_sizes(pipeline, p);
  // Rows 0 to 191 of three warpgroups and blocks of 128 keys: the first sees one of two blocks.
  const sim::TileKind kind = sim::tile_kind(pipeline, sizes, p, 0);
  REQUIRE(kind.works.size() == 4);
  CHECK(kind.works[0] == sim::TileWork{.trips = 1, .hidden = 0, .masked = 2});
  CHECK(kind.works[1] == sim::TileWork{.trips = 0, .hidden = 1, .masked = 1});
  CHECK(kind.works[2] == sim::TileWork{.trips = 0, .hidden = 1, .masked = 1});
  CHECK(kind.works[3] == sim::TileWork{.trips = 1, .hidden = 0, .masked = 1});
  // A ragged end masks the last key block of every tile.
  core::AttentionProblem ragged = problem(1000, false);
  const auto plain = sim::shaped_for(sim::load_pipeline("fa3_fp16"), ragged);
  const auto last = sim::tile_kind(plain, sim::tile_sizes(plain, ragged), ragged, 0);
  CHECK(last.works[1] == sim::TileWork{.trips = 7, .hidden = 0, .masked = 1});
}

TEST_CASE("causal tiles come longest first within sections of heads", "[sim]") {
  const auto pipeline = sim::load_pipeline("fa3_fp16");
  // K and V of a head take 4 MiB: eight heads a section, all of them with their last rows first.
  sim::TileSequence sequence(pipeline, problem(8192, true), 64);
  CHECK(sequence.tiles() == 2 * 16 * 64);
  for (int i = 0; i < 8; ++i) CHECK(sequence.draw() == 63);
  CHECK(sequence.draw() == 62);
  for (int i = 9; i < 8 * 64; ++i) (void)sequence.draw();
  CHECK(sequence.draw() == 63);
  sim::TileSequence plain(pipeline, problem(8192, false), 64);
  CHECK(plain.draw() == 0);
  CHECK(plain.draw() == 1);
}

TEST_CASE("the event engine refuses what it cannot run", "[sim]") {
  const auto machine = sim::load_machine("h200_sxm");
  const auto guide = sim::load_pipeline("guide_fa3");
  CHECK(sim::default_engine(guide) == sim::Engine::kClosedForm);
  CHECK_THAT(error_of([&] { (void)cycles_on(machine, guide, problem(512, false)); }),
             contains("states ramp_iterations"));
  core::AttentionProblem huge = problem(1 << 20, false);
  huge.batch = 4096;
  CHECK_THAT(error_of([&] { (void)cycles_on(machine, sim::load_pipeline("fa3_fp16"), huge); }),
             contains("--engine closed_form"));
}

}  // namespace fa3prof::tests
