#include "src/core/json_reader.h"
#include "src/report/json.h"
#include "tests/catch.h"
#include "tests/cli/fake_program.h"
#include "tests/cli/temporary_directory.h"
#include "tests/golden/example_report.h"
#include "tests/golden/golden.h"

#include <array>

using namespace fa3prof;
using namespace fa3prof::tests;
using core::ExitCode;

namespace {

core::Report simulate(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "simulate");
  arguments.insert(arguments.end(), {"--json", "-"});
  const Outcome outcome = run_program(arguments);
  REQUIRE(outcome.code == ExitCode::kDone);
  return report::parse_report(outcome.out, "stdout");
}

}  // namespace

TEST_CASE("simulate reproduces the guide to the digit", "[cli]") {
  struct Row {
    std::int64_t seqlen;
    double fa2_cycles;
    double fa3_cycles;
  };

  constexpr std::array<Row, 7> kGuide{{{512, 1620, 960},
                                       {1024, 3240, 1600},
                                       {2048, 6480, 2880},
                                       {4096, 12960, 5440},
                                       {8192, 25920, 10560},
                                       {16384, 51840, 20800},
                                       {131072, 414720, 164160}}};
  const core::Report report = simulate({"--config", "guide"});
  REQUIRE(report.results.size() == 2 * kGuide.size());
  for (std::size_t i = 0; i < kGuide.size(); ++i) {
    CHECK(report.results[2 * i].problem.seqlen_q == kGuide[i].seqlen);
    CHECK(report.results[2 * i].cycles == kGuide[i].fa2_cycles);
    CHECK(report.results[2 * i + 1].cycles == kGuide[i].fa3_cycles);
  }
}

TEST_CASE("The guide's example at 8192 tokens is the golden text", "[cli]") {
  check_golden("guide.txt", run_program({"simulate", "--config", "guide", "--seq", "8192"}).out);
}

TEST_CASE("The guide's sweep is the golden text", "[cli]") {
  check_golden("guide_sweep.txt", run_program({"simulate", "--config", "guide"}).out);
}

TEST_CASE("Without a config simulate takes both kernels' pipelines on an H200", "[cli]") {
  const core::Report report = simulate({"--seq", "8192", "--causal"});
  REQUIRE(report.results.size() == 2);
  CHECK(report.results[0].pipeline == "fa2");
  CHECK(report.results[1].pipeline == "fa3_fp16");
  CHECK(report.results[1].machine == "h200_sxm");
  CHECK(report.results[1].problem.is_causal);
  CHECK(report.results[1].problem.batch == 2);
  CHECK_FALSE(report.environment.gpu.has_value());
}

TEST_CASE("Every flag overrides the scenario", "[cli]") {
  const core::Report report =
      simulate({"--config", "h200_8k", "--machine", "h100_sxm", "--pipeline", "fa3_fp16", "--seq",
                "2k", "--heads", "8", "--engine", "closed_form"});
  REQUIRE(report.results.size() == 1);
  CHECK(report.results[0].source == core::ResultSource::kClosedForm);
  CHECK(report.results[0].machine == "h100_sxm");
  CHECK(report.results[0].pipeline == "fa3_fp16");
  CHECK(report.results[0].problem.seqlen_q == 2048);
  CHECK(report.results[0].problem.num_heads == 8);
  CHECK(report.results[0].problem.batch == 2);
}

TEST_CASE("A single problem is explained, several only with --details", "[cli]") {
  const std::string single = run_program({"simulate", "--seq", "1k"}).out;
  CHECK_THAT(single, contains("where the cycles go") && contains("terms of the formula"));
  CHECK_THAT(run_program({"simulate", "--seq", "1k,2k"}).out, !contains("where the cycles go"));
  CHECK_THAT(run_program({"simulate", "--seq", "1k,2k", "--details"}).out,
             contains("where the cycles go"));
}

TEST_CASE("Flag --against sets a report of a run beside the model", "[cli]") {
  const TemporaryDirectory directory;
  const std::string path =
      directory.write("run.json", report::to_text(report::to_json(example_report())));

  SECTION("the measured problems are simulated unless others are stated") {
    const Outcome outcome = run_program({"simulate", "--against", path, "--json", "-"});
    const core::Report report = report::parse_report(outcome.out, "stdout");
    REQUIRE(report.results.size() == 4);
    CHECK(report.results[0].source == core::ResultSource::kMeasured);
    CHECK(report.results[2].problem == example_problem());
    CHECK(report.environment.gpu->name == "NVIDIA H200");
    CHECK(core::parse_json(outcome.out, "stdout")["deviations"].size() == 2);
    CHECK_THAT(outcome.err, contains("measured cycles") && contains("5,080,264"));
  }
  SECTION("a problem that was not measured is said to be so") {
    CHECK_THAT(run_program({"simulate", "--against", path, "--seq", "1k"}).out,
               contains("measured none of these problems"));
  }
  SECTION("a report without measurements is refused") {
    core::Report simulated = example_report();
    simulated.results.erase(simulated.results.begin(), simulated.results.begin() + 2);
    const std::string other =
        directory.write("simulated.json", report::to_text(report::to_json(simulated)));
    CHECK_THROWS_WITH(run_program({"simulate", "--against", other}),
                      contains("simulated.json at /results"));
  }
}

TEST_CASE("Unknown words of simulate are refused with the known ones", "[cli]") {
  CHECK_THROWS_WITH(run_program({"simulate", "--machine", "h300"}),
                    contains("h300") && contains("h200_sxm"));
  CHECK_THROWS_WITH(run_program({"simulate", "--pipeline", "fa9"}),
                    contains("fa9") && contains("fa3_fp16"));
  CHECK_THROWS_WITH(run_program({"simulate", "--config", "none"}),
                    contains("none") && contains("guide"));
  CHECK_THROWS_WITH(run_program({"simulate", "--engine", "magic"}), contains("closed_form"));
}
