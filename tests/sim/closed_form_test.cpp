#include "sim/closed_form.h"

#include "sim/engine.h"
#include "src/core/error.h"
#include "tests/catch.h"
#include "tests/sim/from_text.h"
#include "tests/sim/unit_rates.h"

#include <numeric>

namespace fa3prof::tests {
namespace {

constexpr auto kEngine = sim::Engine::kClosedForm;
constexpr double kRounding = 1.0 + 1e-12;

core::AttentionProblem problem(std::int64_t seqlen, bool is_causal) {
  return {.batch = 2,
          .num_heads = 16,
          .num_heads_kv = 16,
          .seqlen_q = seqlen,
          .seqlen_kv = seqlen,
          .head_dim = 128,
          .is_causal = is_causal};
}

double cycles_on(const sim::Machine& machine, const sim::Pipeline& pipeline,
                 const core::AttentionProblem& problem) {
  return *sim::simulate(kEngine, machine, pipeline, problem).cycles;
}

double breakdown_sum(const core::Result& result) {
  return std::accumulate(
      result.breakdown.begin(), result.breakdown.end(), 0.0,
      [](double sum, const core::BreakdownPart& part) { return sum + part.cycles; });
}

/// A pipeline of delays, all `factor` times as long.
sim::Pipeline delays(double factor) {
  return pipeline_from(pipeline_text(
      R"({"full": {"kind": "mbarrier"}, "empty": {"kind": "mbarrier", "initially_free": "stages"}})",
      R"([{"name": "producer", "warps": 1, "loop": [{"wait": "empty"}, )" +
          delay("l", 90 * factor, "load", R"(, "signals": "full")") +
          R"(]}, {"name": "consumer", "instances": 2, "warps": 4, "loop": [{"wait": "full"}, )" +
          delay("g", 30 * factor, "tensor", R"(, "is_async": true)") + ", " +
          delay("s", 50 * factor, "mufu") + R"(, {"wait_group": "g"}, {"arrive": "empty"}]}])"));
}

const std::string kFreeBarriers =
    R"({"name": "m", "sm_count": {"value": 4, "source": "s"},
        "mbarrier_cycles": {"value": 0, "source": "s"}})";

}  // namespace

TEST_CASE("the breakdown sums to the cycles", "[sim]") {
  const auto machine = sim::load_machine("h200_sxm");
  for (const char* name : {"fa2", "fa3_fp16"}) {
    for (const bool is_causal : {false, true}) {
      for (const std::int64_t seqlen : {1, 129, 512, 5000, 16384}) {
        const auto result =
            sim::simulate(kEngine, machine, sim::load_pipeline(name), problem(seqlen, is_causal));
        CHECK(breakdown_sum(result) == *result.cycles);
        CHECK(result.breakdown.size() == 6);
        for (const auto& part : result.breakdown) CHECK(part.cycles >= 0.0);
        CHECK(result.terms.back().cycles == *result.cycles);
      }
    }
  }
}

TEST_CASE("units are busy for the sum of the steps that use them", "[sim]") {
  const auto machine = sim::load_machine("h200_sxm");
  const auto pipeline = sim::shaped_for(sim::load_pipeline("fa3_fp16"), problem(8192, false));
  const auto sizes = sim::tile_sizes(pipeline, problem(8192, false));
  const sim::CostContext context{machine, pipeline, sizes.scope, core::DataType::kFloat16};
  const sim::TileModel model(context, 46);
  CHECK(model.per_trip().busy(sim::Resource::kTensor) == 2 * (512.0 + 512.0));
  CHECK_THAT(model.per_trip().busy(sim::Resource::kMufu),
             WithinRel(2 * 64 * 128 / *machine.mufu_per_cycle, 1e-12));
  CHECK(model.per_tile().busy(sim::Resource::kTensor) == 2 * (512.0 + 512.0));
}

TEST_CASE("tensor busy cycles are the executed FLOPs at the tensor rate", "[sim]") {
  const auto machine = sim::load_machine("h200_sxm");
  for (const bool is_causal : {false, true}) {
    const auto result =
        sim::simulate(kEngine, machine, sim::load_pipeline("fa3_fp16"), problem(4096, is_causal));
    CHECK_THAT(result.breakdown[0].cycles * 132 * 4096, WithinRel(*result.executed_flops, 1e-9));
  }
}

TEST_CASE("a faster unit is never slower", "[sim]") {
  const auto index = GENERATE(range(std::size_t{0}, kUnitRates.size()));
  const sim::Machine machine = sim::load_machine("h200_sxm");
  const sim::Machine faster = doubled(machine, kUnitRates.at(index));
  for (const char* name : {"fa2", "fa3_fp16"}) {
    const auto pipeline = sim::load_pipeline(name);
    for (const std::int64_t seqlen : {512, 8192}) {
      const auto p = problem(seqlen, false);
      CHECK(cycles_on(faster, pipeline, p) <= kRounding * cycles_on(machine, pipeline, p));
    }
  }
}

TEST_CASE("a longer latency is never faster", "[sim]") {
  using sim::Machine;
  const auto member =
      GENERATE(&Machine::wgmma_wait_cycles, &Machine::wgmma_stall_per_fp32_cycle,
               &Machine::shuffle_latency_cycles, &Machine::tma_latency_cycles,
               &Machine::cp_async_latency_cycles, &Machine::mbarrier_cycles,
               &Machine::named_barrier_cycles, &Machine::cta_barrier_cycles, &Machine::launch_us);
  const Machine machine = sim::load_machine("h200_sxm");
  Machine slower = machine;
  slower.*member = 10.0 * *(slower.*member);
  // A miss takes longer than a hit by as much as before.
  slower.tma_miss_latency_cycles =
      *machine.tma_miss_latency_cycles + *slower.tma_latency_cycles - *machine.tma_latency_cycles;
  for (const char* name : {"fa2", "fa3_fp16"}) {
    const auto pipeline = sim::load_pipeline(name);
    const auto p = problem(512, false);
    CHECK(kRounding * cycles_on(slower, pipeline, p) >= cycles_on(machine, pipeline, p));
  }
}

TEST_CASE("more stages are never slower", "[sim]") {
  auto machine = sim::load_machine("h200_sxm");
  machine.shared_memory_per_cta_bytes.reset();
  machine.shared_memory_per_sm_bytes.reset();
  machine.tma_latency_cycles = 5000.0;  // so that stages matter
  auto pipeline = sim::load_pipeline("fa3_fp16");
  double before = std::numeric_limits<double>::infinity();
  double first = 0.0;
  for (const int stages : {1, 2, 3, 4, 6}) {
    for (auto& tile : pipeline.tiles) tile.stages = stages;
    const double cycles = cycles_on(machine, pipeline, problem(8192, false));
    CHECK(cycles <= before);
    before = cycles;
    if (stages == 1) first = cycles;
  }
  CHECK(before < first);
}

TEST_CASE("scaling every cost scales the result", "[sim]") {
  const auto machine = machine_from(kFreeBarriers);
  for (const std::int64_t seqlen : {128, 1024, 8192}) {
    const double once = cycles_on(machine, delays(1.0), problem(seqlen, false));
    CHECK_THAT(cycles_on(machine, delays(4.0), problem(seqlen, false)),
               WithinRel(4.0 * once, 1e-12));
  }
}

TEST_CASE("whichever is longer decides: the busiest unit or the chain", "[sim]") {
  // Per trip: tensor 2 * 30, mufu 2 * 50, load 90 once; chain of a block through two stages
  // (90 + 50) / 2. One tile alone on its SM ends after the first load and 64 trips of 100.
  const auto machine = machine_from(kFreeBarriers);
  core::AttentionProblem p = problem(8192, false);
  p.batch = 1;
  p.num_heads = 1;
  p.num_heads_kv = 1;
  p.seqlen_q = 128;
  const auto result = sim::simulate(kEngine, machine, delays(1.0), p);
  CHECK(result.limiter == "mufu");
  CHECK(*result.cycles == 90.0 + 64 * 100.0);
}

TEST_CASE("two CTAs in step take what their shared units need together", "[sim]") {
  auto pipeline = pipeline_from(pipeline_text(
      "{}", R"([{"name": "r", "warps": 4, "loop": [)" + delay("g", 60, "tensor") + ", " +
                delay("s", 40, "mufu") + ", " + delay("b", 25, "barrier") + "]}]"));
  pipeline.ctas_per_sm = 2;
  core::AttentionProblem p{.seqlen_q = 256, .seqlen_kv = 1280, .head_dim = 128};
  const auto machine = machine_from(R"({"name": "m", "sm_count": {"value": 1, "source": "s"}})");
  // Two tiles together, ten trips: GEMM and softmax in turn for both, the barrier once.
  CHECK(cycles_on(machine, pipeline, p) == 10 * (2 * 60.0 + 2 * 40.0 + 25.0));
  p.seqlen_q = 128;  // one tile alone
  CHECK(cycles_on(machine, pipeline, p) == 10 * (60.0 + 40.0 + 25.0));
}

TEST_CASE("time, TFLOPS and peak follow from the cycles and the stated clocks", "[sim]") {
  const auto machine = sim::load_machine("h200_sxm");
  const auto result =
      sim::simulate(kEngine, machine, sim::load_pipeline("fa3_fp16"), problem(8192, false));
  CHECK(result.source == core::ResultSource::kClosedForm);
  CHECK(result.kernel == "fa3");
  CHECK(result.clock_mhz == machine.clock_load_mhz);
  CHECK_THAT(*result.time_us, WithinRel(*result.cycles / *result.clock_mhz, 1e-12));
  CHECK_THAT(*result.tflops,
             WithinRel(core::flops_convention(result.problem) / (*result.time_us * 1e6), 1e-12));
  CHECK_THAT(*result.peak_tflops, WithinRel(989.4, 1e-3));
  CHECK(result.peak_basis == "spec 1830 MHz");
  CHECK(result.clock_basis == "clock_load_mhz of machine h200_sxm");
}

TEST_CASE("a pipeline that does not fit the machine is refused with its sum", "[sim]") {
  const auto machine = sim::load_machine("h200_sxm");
  auto pipeline = sim::load_pipeline("fa3_fp16");
  for (auto& tile : pipeline.tiles) tile.stages = 4;
  CHECK_THAT(
      error_of([&] { (void)cycles_on(machine, pipeline, problem(512, false)); }),
      contains("needs 295232 bytes of shared memory (q 2 * 16384 + k 4 * 32768 + v 4 * 32768 + "
               "mbarriers 320), 62784 more than machine h200_sxm has for a CTA (232448)"));
  const auto a100 = sim::load_machine("a100_sxm");
  CHECK_THAT(error_of([&] { (void)cycles_on(a100, pipeline, problem(512, false)); }),
             contains("needs tma_bytes_per_cycle, which machine a100_sxm does not state"));
  pipeline = sim::load_pipeline("fa2");
  pipeline.ctas_per_sm = 4;
  CHECK_THAT(error_of([&] { (void)cycles_on(machine, pipeline, problem(512, false)); }),
             contains("for 4 CTAs on an SM"));
  pipeline.ctas_per_sm = 3;
  CHECK_THAT(error_of([&] { (void)cycles_on(machine, pipeline, problem(512, false)); }),
             contains("97920 registers for 3 CTAs on an SM, 32384 more than machine h200_sxm has "
                      "(65536)"));
  pipeline = sim::load_pipeline("fa3_fp16");
  for (auto& tile : pipeline.tiles) tile.tile_m = sim::Size(192.0);
  CHECK_THAT(error_of([&] { (void)cycles_on(machine, pipeline, problem(512, false)); }),
             contains("2 instances of role consumer do 64 rows each, which are not the 192 of the "
                      "tile: change tile_m by -64"));
}

TEST_CASE("an empty causal problem takes the launch alone", "[sim]") {
  core::AttentionProblem p = problem(512, true);
  p.seqlen_kv = 1;  // rows 0..510 see no key
  const auto machine = sim::load_machine("h200_sxm");
  const auto result = sim::simulate(kEngine, machine, sim::load_pipeline("fa3_fp16"), p);
  CHECK(*result.cycles > 0.0);
  CHECK(breakdown_sum(result) == *result.cycles);
}

TEST_CASE("a sweep over problems with one tile model gives what each gives alone", "[sim]") {
  const auto machine = sim::load_machine("h200_sxm");
  const auto pipeline = sim::shaped_for(sim::load_pipeline("fa3_fp16"), problem(512, false));
  const auto sizes = sim::tile_sizes(pipeline, problem(512, false));
  const sim::CostContext context{machine, pipeline, sizes.scope, core::DataType::kFloat16};
  const sim::TileModel model(context, 1023);
  for (const bool is_causal : {false, true}) {
    for (const std::int64_t seqlen : {4096, 16384, 65536}) {
      const auto p = problem(seqlen, is_causal);
      CHECK_THAT(sim::closed_form_cycles({machine, pipeline, p, sizes.tile}, model),
                 WithinRel(cycles_on(machine, sim::load_pipeline("fa3_fp16"), p), 1e-12));
    }
  }
}

TEST_CASE("the engine is named as on the command line", "[sim]") {
  CHECK(sim::parse_engine("closed_form") == kEngine);
  CHECK(sim::parse_engine("discrete_event") == sim::Engine::kDiscreteEvent);
  CHECK(sim::name_of(kEngine) == "closed_form");
  CHECK_THROWS_AS(sim::parse_engine("oracle"), core::UsageError);
}

}  // namespace fa3prof::tests
