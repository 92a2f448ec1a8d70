#include "sim/step_costs.h"

#include "tests/catch.h"
#include "tests/sim/from_text.h"

namespace fa3prof::tests {
namespace {

/// An H200 with round numbers in place of measured ones.
sim::Machine round_machine() {
  sim::Machine machine = sim::load_machine("h200_sxm");
  machine.wgmma_fp16_flop_per_cycle = 4096.0;
  machine.mufu_per_cycle = 16.0;
  machine.alu_per_cycle = 62.0;
  machine.convert_fp16_per_cycle = 62.0;
  machine.issue_per_cycle = 128.0;
  machine.shuffle_latency_cycles = 27.0;
  machine.shared_memory_bytes_per_cycle = 127.5;
  machine.tma_latency_cycles = 435.0;
  machine.tma_bytes_per_cycle = 97.0;
  machine.l2_bytes_per_cycle = 4860.0;
  return machine;
}

/// Cost of the last loop step of a role of `warps` warps, tile 128 x 128, head_dim 128.
sim::StepCost cost_of(const std::string& step, int warps = 4) {
  const sim::Pipeline pipeline =
      pipeline_from(pipeline_text("{}", R"([{"name": "r", "warps": )" + std::to_string(warps) +
                                            R"(, "loop": [)" + step + "]}]"));
  const sim::Machine machine = round_machine();
  const core::AttentionProblem problem{.seqlen_q = 128, .seqlen_kv = 128, .head_dim = 128};
  const sim::TileSizes sizes = sim::tile_sizes(pipeline, problem);
  const sim::ProgramCosts costs =
      sim::program_costs({machine, pipeline, sizes.scope, problem.dtype});
  return costs.roles[0].sections[static_cast<std::size_t>(sim::Section::kLoop)].back();
}

}  // namespace

TEST_CASE("a WGMMA of N columns takes N / 2 cycles per 16 of K", "[sim]") {
  const auto cost = cost_of(
      R"({"mma": "s", "m": 64, "n": "tile_n", "k": "head_dim", "by": "wgmma", "a": "registers"})");
  CHECK(cost.busy(sim::Resource::kTensor) == 64.0 * 8.0);
  CHECK(cost.alone_cycles == 512.0);
  CHECK_THAT(cost.busy(sim::Resource::kSharedMemory), WithinRel(128.0 * 128 * 2 / 127.5, 1e-12));
}

TEST_CASE("a narrow WGMMA with A in shared memory is bound by its operands", "[sim]") {
  const auto cost =
      cost_of(R"({"mma": "s", "m": 64, "n": 32, "k": 16, "by": "wgmma", "a": "shared"})");
  CHECK(cost.busy(sim::Resource::kTensor) == 16.0);
  CHECK_THAT(cost.alone_cycles, WithinRel((64.0 + 32.0) * 16 * 2 / 127.5, 1e-12));
}

TEST_CASE("with mma.sync every warp reads all of B", "[sim]") {
  const std::string step =
      R"({"mma": "s", "m": "tile_m", "n": 64, "k": 128, "by": "mma_sync", "a": "registers"})";
  CHECK_THAT(cost_of(step, 8).busy(sim::Resource::kSharedMemory),
             WithinRel(2.0 * cost_of(step, 4).busy(sim::Resource::kSharedMemory), 1e-12));
}

TEST_CASE("elementwise time is that of the busiest pipe plus dependent shuffles", "[sim]") {
  const auto cost = cost_of(
      R"({"elementwise": "e", "elements": 12400, "dependent_shuffles": 2,
          "per_element": {"max": 1, "convert": 0.5, "fma": 0.5, "exp2": 0.1}})");
  CHECK_THAT(cost.busy(sim::Resource::kAlu), WithinRel(300.0, 1e-12));  // max and convert share it
  CHECK_THAT(cost.busy(sim::Resource::kMufu), WithinRel(77.5, 1e-12));
  CHECK_THAT(cost.busy(sim::Resource::kIssue), WithinRel(12400 * 2.1 / 128, 1e-12));
  CHECK_THAT(cost.alone_cycles, WithinRel(300.0 + 2 * 27.0, 1e-12));
}

TEST_CASE("a warpgroup alone converts after its exponentials", "[sim]") {
  const auto cost = cost_of(
      R"({"elementwise": "e", "elements": 12400, "per_element": {"convert": 0.5, "exp2": 1}})");
  CHECK_THAT(cost.work_cycles, WithinRel(775.0 + 100.0, 1e-12));
  CHECK_THAT(cost.longest_busy_cycles(), WithinRel(775.0, 1e-12));
}

TEST_CASE("a TMA load takes its latency and its bytes", "[sim]") {
  const auto cost = cost_of(R"({"barrier": "free"}, {"load": "k", "by": "tma"})");
  CHECK_THAT(cost.alone_cycles, WithinRel(435.0 + 32768.0 / 97.0, 1e-12));
  CHECK_THAT(cost.busy(sim::Resource::kL2), WithinRel(32768.0 * 132 / 4860.0, 1e-12));
}

TEST_CASE("CTAs in step stretch what units do, not what is waited for", "[sim]") {
  const auto cost = cost_of(
      R"({"elementwise": "e", "elements": 1600, "dependent_shuffles": 10,
          "per_element": {"exp2": 1}})");
  CHECK(cost.cycles(1) == 100.0 + 270.0);
  CHECK(cost.cycles(2) == 370.0);
  CHECK(cost.cycles(4) == 400.0);
}

TEST_CASE("a step that needs what the machine lacks is refused by pipeline, role and step",
          "[sim]") {
  const sim::Pipeline fa3 = sim::load_pipeline("fa3_fp16");
  const sim::Machine a100 = sim::load_machine("a100_sxm");
  const core::AttentionProblem problem{.seqlen_q = 128, .seqlen_kv = 128, .head_dim = 128};
  const sim::TileSizes sizes = sim::tile_sizes(fa3, problem);
  CHECK_THAT(error_of([&] {
               (void)sim::program_costs({a100, fa3, sizes.scope, problem.dtype});
             }),
             contains("pipeline fa3_fp16, role producer, step k needs tma_bytes_per_cycle, which "
                      "machine a100_sxm does not state"));
}

}  // namespace fa3prof::tests
