#include "sim/load_clock.h"

#include "sim/engine.h"
#include "src/core/problem_grid.h"
#include "tests/catch.h"

namespace fa3prof::tests {
namespace {

sim::Machine with_clocks(sim::Machine::Number wgmma_mhz, sim::Machine::Number mma_sync_mhz) {
  sim::Machine machine = sim::load_machine("h200_sxm");
  machine.clock_load_mhz = wgmma_mhz;
  machine.clock_mma_sync_load_mhz = mma_sync_mhz;
  return machine;
}

core::Result simulated(const sim::Machine& machine, const char* pipeline) {
  const core::ProblemGrid grid{.seqlens_q = {1024}};
  return sim::simulate(sim::Engine::kDiscreteEvent, machine, sim::load_pipeline(pipeline),
                       core::expand(grid).front());
}

}  // namespace

TEST_CASE("A kernel of mma.sync runs at the clock under mma.sync, others at that under WGMMA",
          "[sim]") {
  const sim::Machine machine = with_clocks(1500.0, 1800.0);
  const core::Result fa2 = simulated(machine, "fa2");
  CHECK(fa2.clock_mhz == 1800.0);
  CHECK(fa2.clock_basis == "clock_mma_sync_load_mhz of machine h200_sxm");
  const core::Result fa3 = simulated(machine, "fa3_fp16");
  CHECK(fa3.clock_mhz == 1500.0);
  CHECK(fa3.clock_basis == "clock_load_mhz of machine h200_sxm");
}

TEST_CASE("A machine with one clock has it for all kernels", "[sim]") {
  const core::Result fa2 = simulated(with_clocks(1500.0, std::nullopt), "fa2");
  CHECK(fa2.clock_mhz == 1500.0);
  CHECK(fa2.clock_basis == "clock_load_mhz of machine h200_sxm");
}

TEST_CASE("A pipeline of stated times has no clock of its own", "[sim]") {
  const sim::Machine machine = with_clocks(1500.0, 1800.0);
  CHECK(sim::under_load_of(sim::load_pipeline("guide_fa2"), machine).clock_load_mhz == 1500.0);
}

}  // namespace fa3prof::tests
