#include "src/report/json.h"
#include "tests/catch.h"
#include "tests/cli/fake_program.h"
#include "tests/golden/golden.h"

using namespace fa3prof;
using namespace fa3prof::tests;

TEST_CASE("run --device all measures every GPU, states it in each row and shows which one lags",
          "[cli]") {
  const FakeMachine machine{.gpus = 3, .lagging_gpu = 1};
  const Outcome outcome = run_program({"run", "--device", "all", "--json", "-"}, machine);
  CHECK(outcome.code == core::ExitCode::kDone);
  CHECK_THAT(outcome.err, contains("fa3 on GPU 2 over fa2 on GPU 2"));
  CHECK_THAT(outcome.err, contains("GPU 1 GPU-01234567-1"));
  CHECK_THAT(outcome.err, contains("lags: its clock is 4.8 % lower"));
  const core::Report report = report_of(outcome);
  std::vector<int> devices;
  for (const core::Result& result : report.results) {
    if (result.source == core::ResultSource::kMeasured) devices.push_back(result.device->index);
  }
  CHECK(devices == std::vector<int>{0, 0, 1, 1, 2, 2});
  CHECK(report.environment.gpu->uuid.empty());
  check_golden("report_fleet.json", outcome.out);
  REQUIRE(report.warnings.size() == 2);
  CHECK_THAT(report.warnings[1], contains("GPU 1 (GPU-01234567-1) lags: fa3 on fp16"));
}

TEST_CASE("run --device all on a host with one GPU is a fleet of one", "[cli]") {
  const Outcome outcome = run_program({"run", "--device", "all", "--json", "-"});
  CHECK_THAT(outcome.err,
             contains("GPU 0 GPU-01234567") && contains("median") && !contains("lags"));
  const core::Report report = report_of(outcome);
  CHECK(report.environment.gpu->uuid == "GPU-01234567");
  CHECK(report.results.front().device->index == 0);
}

TEST_CASE("Reports of many GPUs compare GPU by GPU", "[cli]") {
  const core::Report even =
      report_of(run_program({"run", "--device", "all", "--json", "-"}, {.gpus = 2}));
  CHECK(even.warnings.empty());
  CHECK(report::to_json(even)["fleet"].size() == 4);
}

TEST_CASE("run --device all says under --quiet too which GPU lags", "[cli]") {
  const FakeMachine machine{.gpus = 3, .lagging_gpu = 2};
  const Outcome outcome = run_program({"run", "--device", "all", "--quiet"}, machine);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, contains("fa3prof: warning: GPU 2 (GPU-01234567-2) lags"));
}

TEST_CASE("run --device all refuses GPUs of two kinds, no GPU, and views that show one", "[cli]") {
  const std::vector<std::string> all{"run", "--device", "all"};
  CHECK_THROWS_WITH(run_program(all, {.gpus = 2, .foreign_gpu = 1}),
                    contains("GPU 0 is a NVIDIA H200 with 132 SMs") && contains("114 SMs"));
  CHECK_THROWS_AS(run_program(all, {.has_gpu = false}), core::UnavailableError);
  CHECK_THROWS_WITH(run_program({"run", "--device", "all", "--breakdown"}, {.gpus = 2}),
                    contains("name it with --device N"));
  CHECK_THROWS_WITH(run_program({"run", "--device", "all", "--ablation"}, {.gpus = 2}),
                    contains("--ablation"));
  CHECK_THROWS_AS(run_program({"run", "--device", "some"}), CLI::ParseError);
}

TEST_CASE("Without --device all no row names a GPU", "[cli]") {
  const core::Report report = report_of(run_program({"run", "--device", "0", "--json", "-"}));
  CHECK_FALSE(report.results.front().device.has_value());
  CHECK_FALSE(report::to_json(report).contains("fleet"));
}
