#include "src/core/json_reader.h"
#include "src/report/json.h"
#include "tests/catch.h"
#include "tests/cli/fake_program.h"
#include "tests/cli/temporary_directory.h"
#include "tests/golden/example_report.h"

#include <algorithm>

using namespace fa3prof;
using namespace fa3prof::tests;
using core::ExitCode;

namespace {

/// Example results of these kernels, measured on the example's problem with another head_dim.
std::vector<core::Result> measured(const std::vector<std::string>& kernels, std::int64_t head_dim) {
  std::vector<core::Result> results;
  for (const std::string& kernel : kernels) {
    results.push_back(measured_result(kernel, 1500.0));
    results.back().problem.head_dim = head_dim;
  }
  return results;
}

class Recording {
 public:
  explicit Recording(const std::vector<core::Result>& results) {
    core::Report report = example_report();
    report.results = results;
    path_ = directory_.write("run.json", report::to_text(report::to_json(report)));
  }

  [[nodiscard]] Outcome against(std::vector<std::string> flags) const {
    flags.insert(flags.begin(), {"simulate", "--against", path_});
    return run_program(flags);
  }

 private:
  TemporaryDirectory directory_;
  std::string path_;
};

core::Json validation_of(const Outcome& outcome) {
  return core::parse_json(outcome.out, "stdout")["validation"];
}

}  // namespace

TEST_CASE("Flag --against sets a report of a run beside the model", "[cli]") {
  const Recording recording(example_report().results);

  SECTION("the measured problems are simulated unless others are stated") {
    const Outcome outcome = recording.against({"--json", "-"});
    const core::Report report = report::parse_report(outcome.out, "stdout");
    REQUIRE(report.results.size() == 4);
    CHECK(report.results[0].source == core::ResultSource::kMeasured);
    CHECK(report.results[2].problem == example_problem());
    CHECK(report.environment.gpu->name == "NVIDIA H200");
    CHECK(core::parse_json(outcome.out, "stdout")["deviations"].size() == 2);
    CHECK_THAT(outcome.err, contains("measured cycles") && contains("5,080,264"));
    CHECK(validation_of(outcome)["overall"]["rows"] == 2);
  }
  SECTION("a problem that was not measured is said to be so, and nothing to compare is a failure") {
    const Outcome outcome = recording.against({"--seq", "1k"});
    CHECK(outcome.code == ExitCode::kCheckFailed);
    CHECK_THAT(outcome.out, contains("measured none of these problems"));
    CHECK_THAT(outcome.err, contains("nothing was compared"));
  }
  SECTION("a report without measurements is refused") {
    const std::vector<core::Result> results = example_report().results;
    const Recording simulated({results.begin() + 2, results.end()});
    CHECK_THROWS_WITH(simulated.against({}), contains("run.json at /results"));
  }
}

TEST_CASE("Every measured kernel is simulated with its own pipeline", "[cli]") {
  std::vector<core::Result> results = measured({"fa3-ws", "fa2", "cudnn"}, 128);
  const std::vector<core::Result> small = measured({"fa3"}, 64);
  results.insert(results.end(), small.begin(), small.end());
  const Recording recording(results);

  SECTION("on the problems that it was measured on") {
    const core::Report report =
        report::parse_report(recording.against({"--json", "-"}).out, "stdout");
    std::vector<std::string> pipelines;
    for (const core::Result& result : report.results) {
      if (!result.pipeline.empty()) pipelines.push_back(result.pipeline);
    }
    CHECK(pipelines == std::vector<std::string>{"fa3_ws", "fa2", "fa3_fp16"});
    CHECK(report.results.back().problem.head_dim == 64);
  }
  SECTION("a peer without a pipeline is listed as not compared") {
    const core::Json omitted = validation_of(recording.against({"--json", "-"}))["omitted"];
    REQUIRE(omitted.size() == 1);
    CHECK(omitted[0]["kernel"] == "cudnn");
  }
  SECTION("flag --kernel picks some of them") {
    const core::Json validation =
        validation_of(recording.against({"--kernel", "fa2", "--json", "-"}));
    REQUIRE(validation["kernels"].size() == 1);
    CHECK(validation["kernels"][0]["label"] == "fa2");
    CHECK(validation["omitted"].empty());
    CHECK_THROWS_WITH(recording.against({"--kernel", "fa2,fa3-overlap"}),
                      contains("nothing of fa3-overlap"));
  }
  SECTION("a stated pipeline that cannot run a problem is a row with the reason") {
    const Outcome outcome = recording.against({"--pipeline", "fa3_ws", "--json", "-"});
    CHECK(outcome.code == ExitCode::kDone);
    CHECK(validation_of(outcome)["overall"]["rows"] == 1);
    CHECK_THAT(outcome.err, contains("fa3-ws  not supported:"));
  }
}

TEST_CASE("A left-out or failed kernel of the report counts as not measured", "[cli]") {
  std::vector<core::Result> results = measured({"fa2", "fa3", "fa3-ws"}, 128);
  results[1].verification->passed = false;
  results[1].verification->failure = "NaN in O";
  core::Result left_out;
  left_out.kernel = "fa3-ws";
  left_out.problem = results[0].problem;
  left_out.unsupported_reason = "fa3-ws was not chosen";
  results[2] = left_out;
  const Outcome outcome = Recording(results).against({"--json", "-"});
  const core::Json validation = validation_of(outcome);
  CHECK(validation["overall"]["rows"] == 1);
  CHECK(validation["omitted"].empty());
  CHECK_THAT(outcome.err, contains("fa3 is left out") && contains("it failed verification"));
}

TEST_CASE("A limit that is exceeded ends in exit code 1 and says by what", "[cli]") {
  core::Result result = measured_result("fa3", 1500.0);
  const core::Report simulated = report_of(
      run_program({"simulate", "--kernel", "fa3", "--seq", "8k", "--no-causal", "--json", "-"}));
  REQUIRE(simulated.results[0].problem == result.problem);
  result.cycles = *simulated.results[0].cycles / 1.05;  // so that the model is 5 % above it
  const Recording recording({result});

  CHECK(recording.against({"--max-mape", "5.01%", "--max-error", "0.0501"}).code ==
        ExitCode::kDone);

  const Outcome mean = recording.against({"--max-mape", "4.9%", "--quiet"});
  CHECK(mean.code == ExitCode::kCheckFailed);
  CHECK_THAT(mean.err, contains("mean absolute error of 1 rows is 5.0 %, above --max-mape 4.9 %"));
  CHECK(mean.out.empty());

  const Outcome largest = recording.against({"--max-error", "0.04", "--json", "-"});
  CHECK(largest.code == ExitCode::kCheckFailed);
  CHECK_THAT(largest.err, contains("the error of fa3 on fp16 b2 h16 sq8192 skv8192 d128 is +5.0 %, "
                                   "above --max-error 4.0 %"));
  CHECK(validation_of(largest)["exceeded"] == core::Json{"max_absolute_error_ratio"});
}

TEST_CASE("Limits need a report", "[cli]") {
  CHECK_THROWS_WITH(run_program({"simulate", "--max-mape", "3%"}), contains("--against"));
  CHECK_THROWS_WITH(run_program({"simulate", "--max-error", "3%"}), contains("--against"));
}
