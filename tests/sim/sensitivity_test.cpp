#include "sim/sensitivity.h"

#include "tests/catch.h"

#include <algorithm>

using namespace fa3prof;
using namespace fa3prof::tests;
using Catch::Matchers::WithinRel;

namespace {

core::AttentionProblem problem() {
  return {.batch = 2,
          .num_heads = 16,
          .num_heads_kv = 16,
          .seqlen_q = 8192,
          .seqlen_kv = 8192,
          .head_dim = 128};
}

std::vector<core::Sensitivity> of_fa3(const sim::Machine& machine, double step_ratio = 0.1) {
  const sim::Pipeline pipeline = sim::load_pipeline("fa3_fp16");
  const core::AttentionProblem p = problem();
  return sim::sensitivities(
      {.machine = machine, .pipeline = pipeline, .problem = p, .step_ratio = step_ratio});
}

const core::Sensitivity* find(const std::vector<core::Sensitivity>& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &core::Sensitivity::number);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("sensitivities come by effect, and numbers without one are left out", "[sim]") {
  const auto all = of_fa3(sim::load_machine("h200_sxm"));
  REQUIRE(all.size() > 10);
  CHECK(std::ranges::is_sorted(all, std::greater<>(), sim::effect_ratio));
  CHECK(find(all, "memory_bytes") == nullptr);
  CHECK(find(all, "mma_sync_fp16_flop_per_cycle") == nullptr);
}

TEST_CASE("a side is what a simulation with that number gives", "[sim]") {
  sim::Machine machine = sim::load_machine("h200_sxm");
  const auto all = of_fa3(machine, 0.25);
  const core::Sensitivity* mufu = find(all, "mufu_per_cycle");
  REQUIRE(mufu != nullptr);
  CHECK(mufu->value == 15.99);
  CHECK(mufu->lower.value == 15.99 * 0.75);
  const sim::Pipeline pipeline = sim::load_pipeline("fa3_fp16");
  const auto time = [&] {
    return *sim::simulate(sim::Engine::kDiscreteEvent, machine, pipeline, problem()).time_us;
  };
  const double base = time();
  machine.mufu_per_cycle = mufu->lower.value;
  CHECK_THAT(*mufu->lower.time_ratio, WithinRel(time() / base, 1e-12));
}

TEST_CASE("a side on which the kernel cannot run has the reason and counts most", "[sim]") {
  const auto all = of_fa3(sim::load_machine("h200_sxm"));
  const core::Sensitivity& first = all.front();
  CHECK(first.number == "shared_memory_per_cta_bytes");
  CHECK_FALSE(first.lower.time_ratio);
  CHECK_THAT(first.lower.unsupported_reason, contains("bytes of shared memory"));
}

TEST_CASE("a slowdown does not fall below one", "[sim]") {
  sim::Machine machine = sim::load_machine("h200_sxm");
  machine.mufu_slowdown_beside_wgmma_ratio = 1.05;
  const core::Sensitivity* mufu = nullptr;
  const auto all = of_fa3(machine);
  mufu = find(all, "mufu_slowdown_beside_wgmma_ratio");
  REQUIRE(mufu != nullptr);
  CHECK(mufu->lower.value == 1.0);
}
