#include "src/core/error.h"
#include "src/core/json_reader.h"
#include "tests/catch.h"
#include "tests/cli/fake_program.h"

#include <algorithm>

using namespace fa3prof;
using namespace fa3prof::tests;

namespace {

Outcome simulate(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "simulate");
  return run_program(arguments);
}

}  // namespace

TEST_CASE("simulate --what-if shows each result beside the changed one, and the changes", "[cli]") {
  const std::string text = simulate({"--kernel", "fa3", "--what-if", "mufu=0.5x,stages=2"}).out;
  CHECK_THAT(text, contains("fa3_fp16 on h200_sxm "));
  CHECK_THAT(text, contains("fa3_fp16 with stages=2 on h200_sxm with mufu=0.5x"));
  CHECK_THAT(text, contains("machine h200_sxm at /mufu_per_cycle/value: 15.99 -> 7.995"));
  CHECK_THAT(text, contains("time over base"));
}

TEST_CASE("a report with --what-if says how to reproduce it and reads back", "[cli]") {
  const Outcome outcome = simulate(
      {"--kernel", "fa2,fa3", "--seq", "1k,2k", "--what-if", "clock=1.4GHz", "--json", "-"});
  const core::Report report = report_of(outcome);
  REQUIRE(report.results.size() == 8);
  REQUIRE(report.what_if.size() == 1);
  CHECK(report.what_if[0].stated == "clock=1.4GHz");
  CHECK(report.what_if[0].from == core::ConfigValue(1560.0));
  CHECK(report.results[4].machine == "h200_sxm with clock=1.4GHz");
  const core::Json document = core::parse_json(outcome.out, "stdout");
  REQUIRE(document.at("what_if_ratios").size() == 4);
  CHECK(document.at("what_if_ratios")[0].at("time_ratio").get<double>() > 1.0);
}

TEST_CASE("a point that cannot run is an error that says by how much", "[cli]") {
  const auto error_of = [](const std::string& changes) -> std::string {
    try {
      (void)simulate({"--kernel", "fa3", "--what-if", changes});
    } catch (const core::Error& error) {
      return error.what();
    }
    return "no error";
  };
  CHECK_THAT(error_of("stages=4"), contains("62784 more than machine h200_sxm has for a CTA"));
  CHECK_THAT(error_of("tile_m=192,consumers=3,stages=2"),
             contains("registers for 1 CTAs on an SM, "));
  CHECK_THAT(error_of("tile_m=192"), contains("change tile_m by -64"));
  CHECK_THAT(error_of("smem=40x,tile_n=5000,stages=1"), contains("more than a phase can count"));
}

TEST_CASE("simulate --what-if list names values with their units and simulates nothing", "[cli]") {
  const std::string text = simulate({"--kernel", "fa3", "--what-if", "list"}).out;
  CHECK_THAT(text, contains("mufu_per_cycle"));
  CHECK_THAT(text, contains("roles.consumer.loop.mask.per_element.select"));
  CHECK_THAT(text, contains("MHz"));
  CHECK(text.find("time us") == std::string::npos);
}

TEST_CASE("simulate --sensitivity lists the machine's numbers by effect, also in the report",
          "[cli]") {
  const std::vector<std::string> arguments{"--kernel", "fa3", "--sensitivity", "20%"};
  CHECK_THAT(simulate(arguments).out, contains("wgmma_fp16_flop_per_cycle"));
  const core::Report report =
      report_of(simulate({"--kernel", "fa3", "--sensitivity", "--json", "-"}));
  REQUIRE(report.results.size() == 1);
  const auto& all = report.results[0].sensitivities;
  const auto mufu = std::ranges::find(all, "mufu_per_cycle", &core::Sensitivity::number);
  REQUIRE(mufu != all.end());
  CHECK(mufu->lower.value == 15.99 * 0.9);
  CHECK_THROWS_AS(simulate({"--sensitivity", "0"}), core::UsageError);
}

TEST_CASE("a short name that no chosen pipeline has says what it stands for", "[cli]") {
  CHECK_THROWS_WITH(run_program({"simulate", "--kernel", "fa2", "--what-if", "consumers=3"}),
                    contains("consumers stands for roles.consumer.instances"));
}

TEST_CASE("a tile that mma.sync cannot make is an error that names the step", "[cli]") {
  for (const std::string change : {"tile_n=7", "tile_m=24"}) {
    CHECK_THROWS_WITH(run_program({"simulate", "--kernel", "fa2", "--what-if", change}),
                      contains("mma scores is") && contains("multiples of 16 x 8 x 16"));
  }
}

TEST_CASE("simulate refuses --what-if beside --against", "[cli]") {
  CHECK_THROWS_AS(simulate({"--against", "report.json", "--what-if", "mufu=2x"}), core::UsageError);
}

TEST_CASE("a changed pipeline has a timeline of its own", "[cli]") {
  const std::string text =
      simulate({"--kernel", "fa3", "--what-if", "stages=1", "--show", "timeline"}).out;
  CHECK_THAT(text, contains("fa3_fp16 with stages=1"));
}
