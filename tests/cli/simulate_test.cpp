#include "src/core/json_reader.h"
#include "src/report/json.h"
#include "tests/catch.h"
#include "tests/cli/fake_program.h"
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

TEST_CASE("Flag --kernel takes the kernels' pipelines", "[cli]") {
  const core::Report report = simulate({"--seq", "1k", "--kernel", "fa3-ws,fa2"});
  REQUIRE(report.results.size() == 2);
  CHECK(report.results[0].pipeline == "fa3_ws");
  CHECK(report.results[1].pipeline == "fa2");
  CHECK_THROWS_WITH(run_program({"simulate", "--kernel", "cudnn"}), contains("cudnn"));
  CHECK_THROWS_WITH(run_program({"simulate", "--kernel", "fa2", "--pipeline", "fa2"}),
                    contains("leave one of them out"));
}

TEST_CASE("A single problem is explained, several only with --details", "[cli]") {
  const std::string single = run_program({"simulate", "--seq", "1k"}).out;
  CHECK_THAT(single, contains("where the cycles go") && contains("terms of the formula"));
  CHECK_THAT(run_program({"simulate", "--seq", "1k,2k"}).out, !contains("where the cycles go"));
  CHECK_THAT(run_program({"simulate", "--seq", "1k,2k", "--details"}).out,
             contains("where the cycles go"));
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
