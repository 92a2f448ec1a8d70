#include "sim/sm_run.h"

#include "sim/tile_costs.h"
#include "tests/catch.h"
#include "tests/sim/from_text.h"

#include <memory>

namespace fa3prof::tests {
namespace {

/// A pipeline of a file on a machine, ready to run on an SM.
struct Program {
  sim::Machine machine;
  sim::Pipeline pipeline;
  sim::TileSizes sizes;
  sim::ProgramCosts costs;
  sim::EventProgram events;

  Program(const sim::Machine& on, const sim::Pipeline& unshaped, std::int64_t head_dim)
      : machine(on),
        pipeline(sim::shaped_for(unshaped, {.head_dim = head_dim})),
        sizes(sim::tile_sizes(pipeline, {.head_dim = head_dim})),
        costs(sim::program_costs(context())),
        events(sim::event_program(context(), costs)) {}

  [[nodiscard]] sim::CostContext context() const {
    return {machine, pipeline, sizes.scope, core::DataType::kFloat16};
  }

  /// A tile with `trips` of the loop for every role instance.
  [[nodiscard]] sim::TileKind kind(std::int64_t trips, std::int64_t masked = 0) const {
    sim::TileKind kind;
    for (const sim::Role& role : pipeline.roles) {
      for (int i = 0; i < role.instances; ++i) {
        kind.works.push_back({.trips = trips, .masked = masked});
      }
    }
    return kind;
  }

  [[nodiscard]] sim::SmRunResult run(const sim::TileKind& kind, std::size_t tiles,
                                     bool jumps = true, std::size_t slots = 1) const {
    const sim::SmTiles row(slots, std::vector<const sim::TileKind*>(tiles, &kind));
    return sim::run_sm({.program = events, .tiles = row, .jumps = jumps});
  }
};

/// Cycles of one tile of a pipeline of delays; barriers take 10, 7 (CTA) or no time (mbarrier).
double cycles_of(const std::string& barriers, const std::string& roles, std::int64_t trips,
                 std::size_t slots = 1) {
  const sim::Machine machine = machine_from(
      R"({"name": "m", "sm_count": {"value": 1, "source": "s"},
          "mbarrier_cycles": {"value": 0, "source": "s"},
          "named_barrier_cycles": {"value": 10, "source": "s"},
          "cta_barrier_cycles": {"value": 7, "source": "s"}})");
  const Program program(machine, pipeline_from(pipeline_text(barriers, roles)), 128);
  const auto result = program.run(program.kind(trips), 1, true, slots);
  REQUIRE_FALSE(result.stuck);
  return sim::to_cycles(result.end.at);
}

/// A machine of one SM whose path takes 327.68 bytes a cycle, L2 and memory as told.
sim::Machine loading_machine(const std::string& l2_bytes_per_cycle,
                             const std::string& hbm_bytes_per_s) {
  return machine_from(R"({"name": "m", "sm_count": {"value": 1, "source": "s"},
      "clock_load_mhz": {"value": 1000, "source": "s"},
      "mbarrier_cycles": {"value": 0, "source": "s"},
      "tma_latency_cycles": {"value": 0, "source": "s"},
      "tma_bytes_per_cycle": {"value": 327.68, "source": "s"},
      "shared_memory_bytes_per_cycle": {"value": 1000, "source": "s"},
      "l2_bytes_per_cycle": {"value": )" +
                      l2_bytes_per_cycle + R"(, "source": "s"},
      "hbm_bytes_per_s": {"value": )" +
                      hbm_bytes_per_s + R"(, "source": "s"}})");
}

/// Cycles until two loads of 32 KiB that start together have been used: the first for 5000 cycles,
/// the second for none.
double cycles_of_two_loads(const sim::Machine& machine, const std::string& second_from) {
  const std::string roles =
      R"([{"name": "loads", "warps": 1, "loop": [{"wait": "k_empty"}, {"wait": "v_empty"},
           {"load": "k", "by": "tma", "from": "memory", "signals": "k_full"},
           {"load": "v", "by": "tma", "from": ")" +
      second_from + R"(", "signals": "v_full"}]},
          {"name": "first", "warps": 4, "loop": [{"wait": "k_full"}, )" +
      delay("use", 5000, "barrier") + R"(, {"arrive": "k_empty"}]},
          {"name": "second", "warps": 4, "loop": [{"wait": "v_full"}, {"arrive": "v_empty"}]}])";
  std::string text = pipeline_text(
      R"({"k_full": {"kind": "mbarrier"}, "v_full": {"kind": "mbarrier"},
          "k_empty": {"kind": "mbarrier", "initially_free": 1},
          "v_empty": {"kind": "mbarrier", "initially_free": 1}})",
      roles);
  const std::string buffers = R"("buffers": {)";
  text.insert(text.find(buffers) + buffers.size(),
              R"("v": {"bytes": "tile_n * head_dim * element_bytes"}, )");
  const Program program(machine, pipeline_from(text), 128);
  const auto result = program.run(program.kind(1), 1);
  REQUIRE_FALSE(result.stuck);
  return sim::to_cycles(result.end.at);
}

const std::string kFullEmpty =
    R"({"full": {"kind": "mbarrier"}, "empty": {"kind": "mbarrier", "initially_free": "stages"}})";

std::string producer_and_consumer(double load, double work) {
  return R"([{"name": "producer", "warps": 1, "loop": [{"wait": "empty"}, )" +
         delay("l", load, "load", R"(, "signals": "full")") +
         R"(]}, {"name": "consumer", "warps": 4, "loop": [{"wait": "full"}, )" +
         delay("w", work, "tensor") + R"(, {"arrive": "empty"}]}])";
}

}  // namespace

TEST_CASE("where nothing contends the event engine takes the longest chain", "[sim]") {
  const std::string serial = R"([{"name": "r", "warps": 1, "prologue": [)" + delay("p", 3, "load") +
                             R"(], "loop": [)" + delay("l", 20, "load") + ", " +
                             delay("g", 50, "tensor") + ", " + delay("s", 7, "mufu") +
                             R"(, {"barrier": "b"}]}])";
  CHECK(cycles_of("{}", serial, 10) == 3 + 10 * 84);
  CHECK(cycles_of(kFullEmpty, producer_and_consumer(10, 100), 20) == 10 + 20 * 100);
  // Loads come one after the other, unlike in the closed form.
  CHECK(cycles_of(kFullEmpty, producer_and_consumer(300, 100), 20) == 20 * 300 + 100);
  const std::string turns =
      R"([{"name": "c", "instances": 2, "warps": 4, "loop": [{"sync": "turn"}, )" +
      delay("g", 50, "tensor") + R"(, {"arrive": "turn"}]}])";
  CHECK(cycles_of(R"({"turn": {"kind": "turn"}})", turns, 5) == 10 * 50 + 9 * 10);
}

TEST_CASE("loads that memory answers share what it gives, in whatever order they come", "[sim]") {
  // 1000 cycles of the memory for each load, 100 of the path.
  const auto machine = loading_machine("1e9", "32.768e9");
  CHECK_THAT(cycles_of_two_loads(machine, "memory"), WithinAbs(2000 + 5000, 1e-2));
  // A load that L2 answers takes what the path has left and leaves the memory to the other.
  CHECK_THAT(cycles_of_two_loads(machine, "l2"), WithinAbs(1000 + 5000, 1e-2));
}

TEST_CASE("an SM may take more than its share of L2 after a while with less, not at first",
          "[sim]") {
  // 1000 cycles of the L2's share for a load, 100 of the path; two loads fill shared memory.
  const auto machine = loading_machine("32.768", "1e15");
  const std::string roles = R"([{"name": "loads", "warps": 1, "prologue": [)" +
                            delay("start", 5000, "barrier") +
                            R"(], "loop": [{"wait": "empty"},
                                 {"load": "k", "by": "tma", "signals": "full"}]},
      {"name": "consumer", "warps": 4, "loop": [{"wait": "full"}, )" +
                            delay("use", 20000, "barrier") + R"(, {"arrive": "empty"}]}])";
  const std::string barriers = R"({"full": {"kind": "mbarrier"},
                                   "empty": {"kind": "mbarrier", "initially_free": 1}})";
  const Program program(machine, pipeline_from(pipeline_text(barriers, roles)), 128);
  const auto result = program.run(program.kind(2), 1, false);
  CHECK_THAT(sim::to_cycles(result.end.at), WithinAbs(5000 + 1000 + 20000 + 100 + 20000, 1e-2));
}

TEST_CASE("a kernel's start costs what the machine states", "[sim]") {
  const sim::Machine machine = machine_from(
      R"({"name": "m", "sm_count": {"value": 1, "source": "s"},
          "register_change_cycles": {"value": 300, "source": "s"},
          "tensor_map_cycles": {"value": 440, "source": "s"},
          "atomic_cycles": {"value": 50, "source": "s"}})");
  const std::string roles = R"([{"name": "r", "warps": 4, "prologue": [
      {"register_change": "setmaxnreg"}, {"tensor_map": "k"}], "loop": [{"atomic": "draw"}]}])";
  const Program program(machine, pipeline_from(pipeline_text("{}", roles)), 128);
  CHECK(sim::to_cycles(program.run(program.kind(3), 1).end.at) == 300 + 440 + 3 * 50);
}

TEST_CASE("steps that use the same unit share it, others do not slow each other", "[sim]") {
  const auto loop = [](const std::string& unit) {
    return R"([{"name": "r", "warps": 4, "loop": [)" + delay("s", 40, unit) + "]}]";
  };
  CHECK(cycles_of("{}", loop("mufu"), 10, 1) == 400);
  CHECK(cycles_of("{}", loop("mufu"), 10, 2) == 800);
  CHECK(cycles_of("{}", loop("barrier"), 10, 2) == 400);
}

TEST_CASE("a jump over the steady state changes nothing", "[sim]") {
  const auto machine = sim::load_machine("h200_sxm");
  const auto check = [&](const char* name, std::int64_t head_dim, std::size_t slots) {
    const Program program(machine, sim::load_pipeline(name), head_dim);
    for (const std::int64_t trips : {1, 7, 63, 200}) {
      CAPTURE(name, head_dim, trips);
      const sim::TileKind kind = program.kind(trips, 2);
      const auto jumped = program.run(kind, 3, true, slots);
      const auto full = program.run(kind, 3, false, slots);
      // Of head_dim 64 three warpgroups drift against each other: it never repeats to the tick.
      const double total = sim::to_cycles(full.end.at);
      const double slack = head_dim == 64 && trips > 30 ? 3e-3 * total : 0.0;
      CHECK_THAT(sim::to_cycles(jumped.end.at), WithinAbs(total, slack));
      for (std::size_t i = 0; i < sim::kCategoryNames.size(); ++i) {
        CHECK_THAT(jumped.end.parts.cycles[i],
                   WithinAbs(full.end.parts.cycles[i], 1e-3 + 2.0 * slack));
      }
      CHECK_THAT(jumped.end.busy_cycles[0], WithinRel(full.end.busy_cycles[0], 1e-9));
      if (trips == 200) CHECK(jumped.periods[1].has_value());
    }
  };
  check("fa3_fp16", 64, 1);
  check("fa3_fp16", 128, 1);
  check("fa3_fp16", 256, 1);
  check("fa2", 64, 2);
  check("fa2", 128, 2);
  check("fa2", 256, 1);
}

TEST_CASE("a tile's cost continued by whole periods is what running it gives", "[sim]") {
  const Program program(sim::load_machine("h200_sxm"), sim::load_pipeline("fa3_fp16"), 128);
  sim::TileCosts costs(program.events);
  for (const std::int64_t trips : {40, 83, 250, 251, 252}) {
    const sim::TileKind kind = program.kind(trips);
    const auto full = program.run(kind, 4, false);
    const auto& ends = full.tile_ends[0];
    const sim::TileCost cost = costs.cost(kind, 1);
    // The period of another tile may be another by a tick, 1/1024 of a cycle.
    const auto ticks = [](sim::Ticks count) { return static_cast<double>(count); };
    CHECK_THAT(ticks(cost.first.at), WithinRel(ticks(ends[0].at), 1e-6));
    CHECK_THAT(ticks(cost.middle.at), WithinRel(ticks(ends[2].at - ends[1].at), 1e-6));
    CHECK_THAT(ticks(cost.last.at), WithinRel(ticks(full.end.at - ends[2].at), 1e-6));
    const sim::Ticks alone = program.run(kind, 1, false).end.at;
    CHECK_THAT(ticks(cost.alone.at), WithinRel(ticks(alone), 1e-6));
  }
}

TEST_CASE("units of an SM are busy for the sum of the steps that use them", "[sim]") {
  const Program program(sim::load_machine("h200_sxm"), sim::load_pipeline("fa3_fp16"), 128);
  const auto result = program.run(program.kind(63), 2);
  // Two tiles of 64 blocks, two warpgroups, two GEMMs of 512 cycles.
  CHECK(result.end.busy_cycles[static_cast<std::size_t>(sim::Resource::kTensor)] ==
        2 * 64 * 2 * 1024.0);
  CHECK_THAT(result.end.parts[sim::Category::kTensorBusy], WithinAbs(2 * 64 * 2 * 1024.0, 8.0));
  CHECK_THAT(result.end.parts.sum(), WithinAbs(sim::to_cycles(result.end.at), 1e-3));
}

TEST_CASE("elementwise work and WGMMAs beside each other are both slower", "[sim]") {
  auto machine = sim::load_machine("h200_sxm");
  const auto cycles = [&] {
    const Program program(machine, sim::load_pipeline("fa3_fp16"), 128);
    return program.run(program.kind(63), 1).end.at;
  };
  const auto both = cycles();
  machine.mufu_slowdown_beside_wgmma_ratio.reset();
  const auto one = cycles();
  machine.wgmma_stall_per_fp32_cycle = 0.0;
  CHECK(one < both);
  CHECK(cycles() < one);
}

TEST_CASE("a program that waits for ever is told by role, step and barrier", "[sim]") {
  CHECK_THAT(error_of([] {
               (void)pipeline_from(pipeline_text(
                   R"({"full": {"kind": "mbarrier"}, "go": {"kind": "mbarrier"}})",
                   R"([{"name": "a", "warps": 1, "loop": [{"wait": "full"}, {"arrive": "go"}]},
                       {"name": "b", "warps": 4, "loop": [{"wait": "go"}, {"arrive": "full"}]}])"));
             }),
             contains("deadlock: role a (instance 1 of 1), loop step 1, waits on full"));
}

}  // namespace fa3prof::tests
