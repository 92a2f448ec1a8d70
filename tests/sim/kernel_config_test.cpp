// The pipelines of our own kernels state the tiles, stages, threads and registers of the kernels.
#include "kernels/fa1/config.h"
#include "kernels/fa2/config.h"
#include "kernels/fa3_fp16/config.h"
#include "kernels/fa3_fp8/config.h"
#include "sim/pipeline.h"
#include "src/core/attention_kernel.h"
#include "tests/catch.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace fa3prof::tests {
namespace {

const sim::Role& role_named(const sim::Pipeline& pipeline, const std::string& name) {
  for (const sim::Role& role : pipeline.roles) {
    if (role.name == name) return role;
  }
  throw std::logic_error("no role " + name);
}

/// Whether a role has a step of that verb, by name.
bool has_step(const sim::Role& role, const std::string& name) {
  return std::ranges::any_of(role.steps(sim::Section::kLoop),
                             [&name](const sim::Step& step) { return step.name == name; });
}

/// What the configurations of both FA3-style kernels have in common.
void check_config(const sim::Pipeline& pipeline, const core::AttentionProblem& problem,
                  const auto& config) {
  const sim::TileSizes sizes = sim::tile_sizes(pipeline, problem);
  CHECK(sizes.tile.m == config.tile_m);
  CHECK(sizes.tile.n == config.tile_n);
  CHECK(sizes.stages == config.stages);
  CHECK(pipeline.threads() == config.threads());
  // The kernel's own figure has a KiB for barriers, which a pipeline does not store.
  CHECK(sim::shared_memory_bytes(pipeline, sizes.scope) + 1024 == config.shared_memory_bytes());
  CHECK(role_named(pipeline, "consumer").instances == config.consumer_warpgroups);
  CHECK(role_named(pipeline, "consumer").registers_per_thread == config.consumer_registers);
}

}  // namespace

TEST_CASE("each kernel's pipeline exists and reports under the kernel's name", "[sim]") {
  for (const core::AttentionKernel& kernel : core::attention_kernels()) {
    if (kernel.pipeline.empty()) continue;
    CHECK(sim::load_pipeline(std::string(kernel.pipeline)).kernel == kernel.name);
  }
}

TEST_CASE("fa1.json states the fa1 kernel's configurations", "[sim]") {
  const sim::Pipeline pipeline = sim::load_pipeline("fa1");
  CHECK(pipeline.loops_over_rows);
  for (const std::int64_t head_dim : core::find_kernel("fa1").head_dims) {
    CAPTURE(head_dim);
    const core::AttentionProblem problem{.head_dim = head_dim};
    const kernels::fa1::Config config = kernels::fa1::config_for(problem);
    const sim::TileSizes sizes = sim::tile_sizes(pipeline, problem);
    CHECK(sizes.tile.m == config.tile_m);
    CHECK(sizes.tile.n == config.tile_n);
    CHECK(sizes.stages == config.stages);
    CHECK(pipeline.threads() == config.threads());
    CHECK(pipeline.ctas_per_sm == config.ctas_per_sm);
    CHECK(role_named(pipeline, "warps").registers_per_thread == config.registers());
    // The kernel's own figure has maxima and sums, and room for the padded parts of O.
    const std::int64_t keys_bytes = sizes.tile.n * head_dim * 2;
    const std::int64_t beside =
        config.exchange_bytes() - keys_bytes + std::int64_t{2} * config.tile_m * config.warps * 4;
    CHECK(sim::shared_memory_bytes(pipeline, sizes.scope) + static_cast<double>(beside) ==
          config.shared_memory_bytes());
  }
}

TEST_CASE("fa2.json states the fa2 kernel's configurations", "[sim]") {
  const sim::Pipeline unshaped = sim::load_pipeline("fa2");
  for (const kernels::fa2::Config& config : kernels::fa2::kConfigs) {
    const core::AttentionProblem problem{.head_dim = config.head_dim};
    const sim::TileSizes sizes = sim::tile_sizes(unshaped, problem);
    const sim::Pipeline pipeline = sim::shaped_for(unshaped, problem);
    CAPTURE(config.head_dim);
    CHECK(sizes.tile.m == config.tile_m);
    CHECK(sizes.tile.n == config.tile_n);
    CHECK(sizes.stages == config.stages);
    CHECK(pipeline.threads() == config.threads());
    CHECK(pipeline.ctas_per_sm == config.ctas_per_sm);
    CHECK(role_named(pipeline, "warps").registers_per_thread == config.registers());
    CHECK(has_step(role_named(pipeline, "warps"), "agree") == config.rescales_on_demand);
    CHECK(sim::shared_memory_bytes(pipeline, sizes.scope) == config.shared_memory_bytes());
  }
}

TEST_CASE("the pipelines of fa3 state the configurations of its schedules", "[sim]") {
  for (const auto& [name, schedule] : kernels::fa3_fp16::kSchedules) {
    const core::AttentionKernel& kernel = core::find_kernel(name);
    const sim::Pipeline unshaped = sim::load_pipeline(std::string(kernel.pipeline));
    for (const std::int64_t head_dim : kernel.head_dims) {
      const core::AttentionProblem problem{.head_dim = head_dim};
      const kernels::fa3_fp16::Config config = kernels::fa3_fp16::config_for(head_dim, schedule);
      const sim::Pipeline pipeline = sim::shaped_for(unshaped, problem);
      CAPTURE(kernel.name, head_dim);
      check_config(pipeline, problem, config);
      const std::string loads = config.specializes_warps ? "producer" : "loads";
      CHECK(role_named(pipeline, loads).registers_per_thread == config.producer_registers);
      const bool has_turns = std::ranges::any_of(
          pipeline.barriers,
          [](const sim::Barrier& barrier) { return barrier.kind == sim::BarrierKind::kTurn; });
      CHECK(has_turns == config.takes_turns);
    }
  }
}

TEST_CASE("fa3_fp8.json states the configurations of the kernel in e4m3", "[sim]") {
  const sim::Pipeline unshaped = sim::load_pipeline("fa3_fp8");
  for (const std::int64_t head_dim : core::find_kernel(core::kFp8).head_dims) {
    for (const bool is_causal : {false, true}) {
      CAPTURE(head_dim, is_causal);
      const core::AttentionProblem problem{
          .head_dim = head_dim, .is_causal = is_causal, .dtype = core::DataType::kFloat8E4M3};
      const kernels::fa3_fp8::Config config = kernels::fa3_fp8::config_for({.head_dim = head_dim});
      const sim::Pipeline pipeline = sim::shaped_for(unshaped, problem);
      check_config(pipeline, problem, config);
      CHECK(role_named(pipeline, "producer").registers_per_thread == config.producer_registers);
      CHECK(has_step(role_named(pipeline, "consumer"), "turn") == config.takes_turns);
      CHECK(has_step(role_named(pipeline, "consumer"), "pack") == config.exponentiates_early);
      const sim::TileSizes sizes = sim::tile_sizes(unshaped, problem);
      CHECK(sizes.scope[sim::SizeName::kValueChannels] == config.value_channels());
    }
  }
}

}  // namespace fa3prof::tests
