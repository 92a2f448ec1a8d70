#include "src/core/error.h"
#include "src/core/json_reader.h"
#include "tests/catch.h"
#include "tests/cli/fake_program.h"

using namespace fa3prof;
using namespace fa3prof::tests;

namespace {

core::Json tune(std::vector<std::string> arguments, const FakeMachine& machine = {}) {
  arguments.insert(arguments.begin(), "tune");
  arguments.insert(arguments.end(), {"--json", "-"});
  return core::parse_json(run_program(arguments, machine).out, "stdout");
}

std::string recording(const std::string& name) {
  return FA3PROF_SOURCE_DIR "/configs/recordings/" + name;
}

}  // namespace

TEST_CASE("tune shows the best ten, what is compiled and what limits each", "[cli]") {
  const Outcome outcome = run_program({"tune", "--no-measure", "--pipeline", "fa3_fp16"});
  CHECK_THAT(outcome.out, contains("compiled as fa3"));
  CHECK_THAT(outcome.out, contains("can run"));
  CHECK_THAT(outcome.out, contains("limited by"));
}

TEST_CASE("the document of tune has the best points by rank", "[cli]") {
  const core::Json document =
      tune({"--no-measure", "--pipeline", "fa3_fp16", "--top", "5", "--simulate", "50"});
  const core::Json& tuning = document.at("tunings").at(0);
  CHECK(tuning.at("best").size() >= 5);
  CHECK(tuning.at("best")[0].at("rank") == 1);
  CHECK(tuning.at("best")[0].at("cycles") <= tuning.at("best")[1].at("cycles"));
  CHECK_FALSE(document.contains("ranking"));
}

TEST_CASE("tune against reports ranks what they measured, without a GPU", "[cli]") {
  const core::Json document =
      tune({"--against", recording("h200_sxm_ablation.json"), recording("h200_sxm_seq8192.json")},
           {.has_gpu = false});
  const core::Json& ranking = document.at("ranking");
  CHECK(document.at("tunings").empty());
  CHECK(ranking.at("problems") == 2);
  CHECK(ranking.at("same_problem").at("concordant").get<int>() +
            ranking.at("same_problem").at("discordant").get<int>() ==
        11);
}

TEST_CASE("the model ranks our kernels on the problems of the grid as measured", "[cli]") {
  const core::Json document =
      tune({"--against", recording("h200_sxm_grid_development.json"),
            recording("h200_sxm_grid_validation.json"), recording("h200_sxm_ablation.json"),
            recording("h200_sxm_ablation_causal.json")});
  const core::Json& ranking = document.at("ranking");
  CHECK(ranking.at("same_problem").at("kendall_tau").get<double>() >= 0.8);
  CHECK(ranking.at("all_rows").at("kendall_tau").get<double>() >= 0.8);
}

TEST_CASE("with a GPU tune measures what is compiled and ranks it", "[cli]") {
  const core::Json document =
      tune({"--pipeline", "fa3_fp16", "--machine", "h200_sxm", "--simulate", "10"});
  CHECK(document.at("ranking").at("measured_by") == "NVIDIA H200");
  CHECK(document.at("ranking").at("rows").size() >= 2);
  const core::Json other =
      tune({"--pipeline", "fa3_fp16", "--machine", "h100_sxm", "--simulate", "10"});
  CHECK_FALSE(other.contains("ranking"));
}

TEST_CASE("tune refuses a problem that no pipeline can run", "[cli]") {
  CHECK_THROWS_AS(run_program({"tune", "--no-measure", "--head-dim", "96"}), core::UsageError);
}
