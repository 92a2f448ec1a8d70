#include "sim/tune.h"

#include "sim/engine.h"
#include "sim/fit.h"
#include "src/core/error.h"
#include "tests/catch.h"

#include <algorithm>

using namespace fa3prof;

namespace {

core::AttentionProblem problem(std::int64_t head_dim = 128, bool is_causal = false) {
  return {.batch = 2,
          .num_heads = 2048 / head_dim,
          .num_heads_kv = 2048 / head_dim,
          .seqlen_q = 8192,
          .seqlen_kv = 8192,
          .head_dim = head_dim,
          .is_causal = is_causal};
}

const std::vector<std::string> kSchedules{"fa2",    "fa3_fp16",     "fa3_serial",
                                          "fa3_ws", "fa3_pingpong", "fa3_overlap"};

}  // namespace

TEST_CASE("the register estimate admits every pipeline as it is compiled", "[sim]") {
  const sim::Machine machine = sim::load_machine("h200_sxm");
  for (const std::string& name : kSchedules) {
    const sim::Pipeline pipeline = sim::load_pipeline(name);
    for (const sim::TileChoice& tile : pipeline.tiles) {
      const sim::DesignSpace space(machine, pipeline, problem(*tile.head_dim));
      INFO(name << " head_dim " << *tile.head_dim);
      CHECK(space.registers_needed(space.stated()).total() <=
            space.registers_there(space.stated()));
      CHECK_FALSE(space.obstacle(space.stated()));
      const auto points = space.points();
      CHECK(std::ranges::find(points, space.stated()) != points.end());
    }
  }
}

TEST_CASE("the registers of fa3 are accumulators, P and 32 others", "[sim]") {
  const sim::DesignSpace space(sim::load_machine("h200_sxm"), sim::load_pipeline("fa3_fp16"),
                               problem());
  const sim::RegisterNeed need = space.registers_needed(space.stated());
  CHECK(need.accumulators == 64.0 + 64.0);  // 64 x 128 scores and O over 128 threads
  CHECK(need.operands == 32.0);             // 64 x 128 halves of P
  CHECK(need.others == 32.0);
  CHECK(space.registers_there(space.stated()) == 240.0);
}

TEST_CASE("the stated point is the pipeline itself", "[sim]") {
  const sim::Machine machine = sim::load_machine("h200_sxm");
  for (const std::string& name : kSchedules) {
    const sim::Pipeline pipeline = sim::load_pipeline(name);
    const sim::DesignSpace space(machine, pipeline, problem());
    const auto cycles = [&](const sim::Pipeline& of) {
      return *sim::simulate(sim::Engine::kDiscreteEvent, machine, of, problem()).cycles;
    };
    CHECK(cycles(space.pipeline(space.stated())) == cycles(pipeline));
  }
}

TEST_CASE("a point with an obstacle does not fit, one without does", "[sim]") {
  const sim::Machine machine = sim::load_machine("h200_sxm");
  const sim::DesignSpace space(machine, sim::load_pipeline("fa3_fp16"), problem());
  sim::DesignPoint point = space.stated();
  point.stages = 4;
  CHECK(space.obstacle(point) == sim::Obstacle::kSharedMemory);
  point = space.stated();
  point.consumers = 3;
  point.tile_m = 192;
  point.stages = 2;
  CHECK(space.obstacle(point) == sim::Obstacle::kRegisters);  // 191 of 160
  point.tile_n = 80;
  CHECK_FALSE(space.obstacle(point));
  const sim::Pipeline shaped = sim::shaped_for(space.pipeline(point), problem());
  CHECK_NOTHROW(sim::check_fit(machine, shaped, sim::tile_sizes(shaped, problem()).scope));
}

TEST_CASE("tune ranks by the event engine and counts every point once", "[sim]") {
  const sim::Machine machine = sim::load_machine("h200_sxm");
  const std::vector<sim::Pipeline> pipelines{sim::load_pipeline("fa3_fp16")};
  const sim::Tuning tuning = sim::tune(
      {.machine = machine, .pipelines = pipelines, .problem = problem(), .simulated_points = 20});
  std::size_t sum = tuning.feasible;
  for (const std::size_t count : tuning.obstacles) sum += count;
  CHECK(sum == tuning.points);
  REQUIRE(tuning.simulated.size() >= 20);
  CHECK(std::ranges::is_sorted(tuning.simulated, {},
                               [](const sim::TunedPoint& tuned) { return *tuned.result.cycles; }));
  CHECK(std::ranges::count_if(tuning.simulated, &sim::TunedPoint::is_stated) == 1);
}

TEST_CASE("tune ranks by time where pipelines run at different clocks", "[sim]") {
  const sim::Machine machine = sim::load_machine("h100_sxm");
  const std::vector<sim::Pipeline> pipelines{sim::load_pipeline("fa2"),
                                             sim::load_pipeline("fa3_fp16")};
  const sim::Tuning tuning = sim::tune(
      {.machine = machine, .pipelines = pipelines, .problem = problem(), .simulated_points = 1});
  REQUIRE(tuning.simulated.size() >= 2);
  CHECK(tuning.simulated.front().result.clock_mhz != tuning.simulated.back().result.clock_mhz);
  CHECK(std::ranges::is_sorted(tuning.simulated, {},
                               [](const sim::TunedPoint& tuned) { return *tuned.result.time_us; }));
}

TEST_CASE("the best ten of the points with the best bounds are the best of many more", "[sim]") {
  const sim::Machine machine = sim::load_machine("h200_sxm");
  const std::vector<sim::Pipeline> pipelines{sim::load_pipeline("fa3_fp16")};
  const auto best = [&](std::size_t simulated_points) {
    return sim::tune({.machine = machine,
                      .pipelines = pipelines,
                      .problem = problem(),
                      .simulated_points = simulated_points});
  };
  const sim::Tuning few = best(240);
  const sim::Tuning all = best(100000);
  REQUIRE(all.simulated.size() > few.simulated.size());
  for (std::size_t i = 0; i < 10; ++i) {
    CHECK(few.simulated[i].point == all.simulated[i].point);
  }
}

TEST_CASE("a problem that no pipeline has a tile for cannot be tuned", "[sim]") {
  const sim::Machine machine = sim::load_machine("h200_sxm");
  const std::vector<sim::Pipeline> pipelines{sim::load_pipeline("fa3_fp16")};
  CHECK_THROWS_AS(sim::tune({.machine = machine, .pipelines = pipelines, .problem = problem(96)}),
                  core::UsageError);
}
