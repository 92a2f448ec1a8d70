#include "src/analysis/stage_breakdown.h"
#include "tests/catch.h"
#include "tests/cli/fake_program.h"
#include "tests/cli/temporary_directory.h"
#include "tests/golden/golden.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <set>
#include <string>

using namespace fa3prof;
using namespace fa3prof::tests;

namespace {

std::set<std::string> processes_in(const std::string& path) {
  std::set<std::string> names;
  const auto document = nlohmann::json::parse(read_text(path));
  for (const auto& event : document["traceEvents"]) {
    if (event["name"] == "process_name") names.insert(event["args"]["name"]);
  }
  return names;
}

}  // namespace

TEST_CASE("run --trace writes the measured and the simulated timeline to one file", "[cli]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("trace.json");
  const Outcome outcome = run_program({"run", "--kernel", "fa3", "--seq", "2048", "--trace", path});
  CHECK(outcome.code == core::ExitCode::kDone);
  CHECK(processes_in(path) ==
        std::set<std::string>{"fa3 measured: CTA 0 on SM 3",
                              "fa3 simulated: first SM of h200_sxm, 3 tiles"});
}

TEST_CASE("run --breakdown sets shares of cycles beside the model's and says what tracing cost",
          "[cli]") {
  const Outcome outcome = run_program({"run", "--kernel", "fa3", "--seq", "8192", "--breakdown"});
  CHECK_THAT(outcome.out, contains("where the cycles go") && contains("fa3 measured") &&
                              contains("simulated") && contains("difference"));
  CHECK_THAT(
      outcome.out,
      contains(
          "traced    fa3: CTAs 0, 131; launch +8.0 %, 1,080.0 us with stamps, 1,000.0 without"));
  // The speed is that of the launches without stamps.
  CHECK_THAT(outcome.out, contains("1,724.8"));
}

TEST_CASE("A report of a traced run holds the shares and their differences, which sum to nothing",
          "[cli]") {
  const Outcome outcome = run_program(
      {"run", "--kernel", "fa3", "--seq", "8192", "--trace-ctas", "5,7", "--json", "-"});
  const auto document = nlohmann::json::parse(outcome.out);
  CHECK(document["results"][0]["trace"]["ctas"] == nlohmann::json{5, 7});
  double measured = 0.0;
  double difference = 0.0;
  const auto& shares = document["deviations"][0]["breakdown"];
  CHECK(shares.size() == 6);
  for (const auto& share : shares) {
    measured += share["measured_ratio"].get<double>();
    difference += share["difference_ratio"].get<double>();
  }
  CHECK_THAT(measured, Catch::Matchers::WithinAbs(1.0, 1e-9));
  CHECK_THAT(difference, Catch::Matchers::WithinAbs(0.0, 1e-9));
  const core::Result result = report_of(outcome).results.front();
  REQUIRE(result.trace.has_value());
  CHECK(result.breakdown.size() == 6);
}

TEST_CASE("A report of a traced run holds the beginning of both timelines", "[cli]") {
  const Outcome outcome =
      run_program({"run", "--kernel", "fa3", "--seq", "2048", "--breakdown", "--json", "-"});
  const core::Report report = report_of(outcome);
  REQUIRE(report.results.size() == 2);
  for (const core::Result& result : report.results) {
    REQUIRE(result.timeline.has_value());
    std::size_t spans = 0;
    for (const core::PackedTrack& track : result.timeline->tracks) spans += track.begins.size();
    CHECK(spans > 0);
    CHECK(spans <= 3000);
  }
  CHECK_THAT(report.results[0].timeline->name, contains("measured: CTA 0"));
  CHECK_THAT(report.results[1].timeline->name, contains("simulated"));
}

TEST_CASE("A run that is not asked to trace has no breakdown of measured cycles", "[cli]") {
  const Outcome outcome = run_program({"run", "--kernel", "fa3", "--json", "-"});
  CHECK(report_of(outcome).results.front().breakdown.empty());
}

TEST_CASE("A trace that cannot be written is refused before the work", "[cli]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("nowhere/trace.json");
  CHECK_THROWS_WITH(run_program({"run", "--trace", path}), contains("cannot write"));
  CHECK_THROWS_WITH(run_program({"simulate", "--trace", path}), contains("cannot write"));
  CHECK_THROWS_WITH(run_program({"run", "--trace-ctas", "0,x"}),
                    contains("--trace-ctas: 'x' is no number of a CTA"));
}

TEST_CASE("simulate --trace writes a process for each result", "[cli]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("trace.json");
  const Outcome outcome =
      run_program({"simulate", "--kernel", "fa2,fa3", "--seq", "2048", "--trace", path});
  CHECK(outcome.code == core::ExitCode::kDone);
  CHECK(processes_in(path).size() == 2);
  const Outcome reported =
      run_program({"simulate", "--kernel", "fa3", "--seq", "2048", "--trace", path, "--json", "-"});
  CHECK(report_of(reported).results.front().timeline.has_value());
}

TEST_CASE("A simulated trace of 16k tokens is below 20 MB", "[cli]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("trace.json");
  const Outcome outcome =
      run_program({"simulate", "--kernel", "fa3", "--seq", "16384", "--trace", path});
  CHECK(outcome.code == core::ExitCode::kDone);
  CHECK(std::filesystem::file_size(path) < 20'000'000);
}

TEST_CASE("simulate --show timeline draws roles and units", "[cli]") {
  const Outcome outcome =
      run_program({"simulate", "--kernel", "fa3", "--seq", "2048", "--show", "timeline"});
  CHECK_THAT(outcome.out, contains("producer ") && contains("consumer 2 ") &&
                              contains("tensor core ") && contains(". waits"));
  CHECK_THROWS_WITH(run_program({"simulate", "--show", "pipes"}),
                    contains("--show draws a 'timeline', not 'pipes'"));
  CHECK_THROWS_WITH(run_program({"simulate", "--engine", "closed_form", "--show", "timeline"}),
                    contains("--engine discrete_event"));
}
