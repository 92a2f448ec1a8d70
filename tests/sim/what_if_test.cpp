#include "sim/what_if.h"

#include "sim/engine.h"
#include "src/core/error.h"
#include "tests/catch.h"

using namespace fa3prof;
using namespace fa3prof::tests;

namespace {

sim::WhatIf applied(const std::string& changes,
                    const std::vector<std::string>& pipelines = {"fa3_fp16"}) {
  std::vector<sim::Pipeline> loaded;
  for (const std::string& name : pipelines) loaded.push_back(sim::load_pipeline(name));
  return sim::apply_changes(sim::load_machine("h200_sxm"), loaded, sim::parse_changes(changes));
}

std::string error_of(const std::string& changes) {
  try {
    (void)applied(changes);
  } catch (const core::Error& error) {
    return error.what();
  }
  return "no error";
}

core::AttentionProblem problem() {
  return {.batch = 2,
          .num_heads = 16,
          .num_heads_kv = 16,
          .seqlen_q = 8192,
          .seqlen_kv = 8192,
          .head_dim = 128};
}

}  // namespace

TEST_CASE("a factor, a percentage and a number with a unit change a machine's number", "[sim]") {
  CHECK(applied("mufu=2x").machine.mufu_per_cycle == 31.98);
  CHECK(*applied("mufu=-10%").machine.mufu_per_cycle == 15.99 * 0.9);
  CHECK(applied("clock=1.4GHz").machine.clock_load_mhz == 1400.0);
  CHECK(applied("hbm_bytes_per_s=3.35TB/s").machine.hbm_bytes_per_s == 3.35e12);
  CHECK(applied("sms=144").machine.sm_count == 144);
}

TEST_CASE("a short name changes every value that it stands for", "[sim]") {
  const sim::WhatIf what_if = applied("stages=2,tensor=0.5x");
  for (const sim::TileChoice& tile : what_if.pipelines.at(0).tiles) CHECK(tile.stages == 2);
  CHECK(what_if.machine.wgmma_fp16_flop_per_cycle == 2048.0);
  CHECK(what_if.machine.wgmma_fp8_flop_per_cycle == 4096.0);
}

TEST_CASE("the clock of a what-if holds under every load", "[sim]") {
  const sim::Machine machine = sim::load_machine("h100_sxm");
  REQUIRE(machine.clock_mma_sync_load_mhz);
  const sim::Machine changed =
      sim::apply_changes(machine, {sim::load_pipeline("fa2")}, sim::parse_changes("clock=1.4GHz"))
          .machine;
  CHECK(changed.clock_load_mhz == 1400.0);
  CHECK(changed.clock_mma_sync_load_mhz == 1400.0);
}

TEST_CASE("paths name steps by their names, places by numbers, and JSON pointers work", "[sim]") {
  const auto of_loop = [](const sim::WhatIf& what_if) {
    for (const sim::Step& step : what_if.pipelines.at(0).roles.at(1).steps(sim::Section::kLoop)) {
      const auto* work = std::get_if<sim::Elementwise>(&step.action);
      if (step.name == "ahead") return work->operations[3];
    }
    return 0.0;
  };
  CHECK(of_loop(applied("roles.consumer.loop.ahead.per_element.exp2=2x")) == 0.5);
  CHECK(applied("/tiles/1/tile_n=96").changes.at(0).pointer == "/tiles/1/tile_n");
  CHECK(applied("tiles.1.tile_n=0.5x").changes.at(0).to == core::ConfigValue(64.0));
  CHECK(applied("buffers.q.bytes=2x").changes.at(0).to ==
        core::ConfigValue(std::string("2 * 64 * head_dim * element_bytes")));
}

TEST_CASE("what is changed has a name that says so and keeps its kernel", "[sim]") {
  const sim::WhatIf what_if = applied("mufu=2x,stages=2,clock=1.4GHz");
  CHECK(what_if.machine.name == "h200_sxm with mufu=2x,clock=1.4GHz");
  CHECK(what_if.pipelines.at(0).name == "fa3_fp16 with stages=2");
  CHECK(what_if.pipelines.at(0).kernel == "fa3");
  CHECK(sim::unchanged_name(what_if.machine.name) == "h200_sxm");
  CHECK(sim::unchanged_name("h200_sxm") == "h200_sxm");
}

TEST_CASE("pipelines without a changed value are named and not simulated again", "[sim]") {
  const sim::WhatIf what_if = applied("consumer_registers=200", {"fa2", "fa3_fp16"});
  CHECK(what_if.unchanged == std::vector<std::string>{"fa2"});
  REQUIRE(what_if.pipelines.size() == 1);
  CHECK(applied("mufu=2x", {"fa2", "fa3_fp16"}).pipelines.size() == 2);
}

TEST_CASE("a change to the present value is none", "[sim]") {
  const sim::WhatIf what_if = applied("clock=1560MHz,sms=132");
  CHECK(what_if.changes.empty());
  CHECK_FALSE(what_if.is_machine_changed);
}

TEST_CASE("a number that the machine does not state can be given", "[sim]") {
  sim::Machine machine = sim::load_machine("a100_sxm");
  REQUIRE_FALSE(machine.tma_bytes_per_cycle);
  const auto changed =
      sim::apply_changes(machine, {}, sim::parse_changes("tma_bytes_per_cycle=100")).machine;
  CHECK(changed.tma_bytes_per_cycle == 100.0);
  CHECK_THROWS_AS(sim::apply_changes(machine, {}, sim::parse_changes("tma=2x")), core::UsageError);
}

TEST_CASE("an unknown name is an error with near matches", "[sim]") {
  CHECK_THAT(error_of("muffu=2x"), contains("did you mean mufu"));
  CHECK_THAT(error_of("wgmma_wait=3"), contains("wgmma_wait_cycles"));
  CHECK_THAT(error_of("nonsense=3"), contains("--what-if list shows all"));
  CHECK_THAT(error_of("name=x"), contains("has a value 'name'"));
}

TEST_CASE("values that cannot be are refused", "[sim]") {
  CHECK_THAT(error_of("clock=3parsec"), contains("which takes MHz, kHz, GHz"));
  CHECK_THAT(error_of("mufu=fast"), contains("state a number (/cycle), or a factor"));
  CHECK_THAT(error_of("mufu=-1"), contains("/mufu_per_cycle/value"));
  CHECK_THAT(error_of("sms=1.5"), contains("must be an integer"));
  CHECK_THAT(error_of("tensor=4096"), contains("state a factor"));
  CHECK_THAT(error_of("persistent=2x"), contains("state true or false"));
  CHECK_THAT(error_of("stages=1.5x"), contains("/tiles/"));
  CHECK_THAT(error_of("mufu"), contains("is no change"));
  CHECK_THAT(error_of("mufu=2x,mufu=3x"), contains("changed twice"));
}

TEST_CASE("twice the exponentials are never slower, half are", "[sim]") {
  const auto cycles = [](const sim::Machine& machine, const sim::Pipeline& pipeline) {
    return *sim::simulate(sim::Engine::kDiscreteEvent, machine, pipeline, problem()).cycles;
  };
  const sim::Pipeline pipeline = sim::load_pipeline("fa3_fp16");
  const double base = cycles(sim::load_machine("h200_sxm"), pipeline);
  CHECK(cycles(applied("mufu=2x").machine, pipeline) <= base);
  CHECK(cycles(applied("mufu=0.5x").machine, pipeline) > 1.1 * base);
}

TEST_CASE("every named value can be found and set to what it is", "[sim]") {
  for (const std::string& name : sim::builtin_pipelines()) {
    core::Json document = *sim::load_pipeline(name).document;
    for (const sim::NamedValue& value : sim::named_values(document)) {
      INFO(name << " " << value.name);
      const auto found = sim::find_values(document, value.name);
      REQUIRE_FALSE(found.empty());
    }
  }
}
