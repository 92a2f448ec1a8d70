#include "src/report/json.h"
#include "tests/catch.h"
#include "tests/cli/fake_program.h"
#include "tests/golden/golden.h"

using namespace fa3prof;
using namespace fa3prof::tests;
using core::ExitCode;

namespace {

/// Without a machine file for it: what the model says of it is no part of the golden texts.
const FakeMachine kUnknownGpu{.capability = {9, 9}};

std::vector<std::string> measured_kernels(const core::Report& report) {
  std::vector<std::string> kernels;
  for (const core::Result& result : report.results) {
    if (result.source == core::ResultSource::kMeasured) kernels.push_back(result.kernel);
  }
  return kernels;
}

}  // namespace

TEST_CASE("run --generations measures one kernel of each and shows them beside the guide",
          "[cli]") {
  const Outcome outcome = run_program({"run", "--generations"}, kUnknownGpu);
  CHECK(outcome.code == ExitCode::kDone);
  const std::size_t table = outcome.out.find("FlashAttention-1  ");
  REQUIRE(table != std::string::npos);
  check_golden("generations.txt", outcome.out.substr(outcome.out.rfind('\n', table) + 1));
}

TEST_CASE("run --generations writes the comparison into its document", "[cli]") {
  const Outcome outcome = run_program({"run", "--generations", "--json", "-"}, kUnknownGpu);
  CHECK(outcome.code == ExitCode::kDone);
  CHECK(measured_kernels(report_of(outcome)) ==
        std::vector<std::string>{"fa1", "fa2", "fa3", "fa3_fp8"});
  check_golden("report_generations.json", outcome.out);
}

TEST_CASE("run --generations has the model say how much softmax each exposes", "[cli]") {
  CHECK_THAT(run_program({"run", "--generations", "--seq", "1k"}).out,
             contains("softmax exposed, simulated"));
}

TEST_CASE("run --generations leaves out what does not take the problem", "[cli]") {
  const Outcome outcome = run_program({"run", "--generations", "--head-dim", "256"}, kUnknownGpu);
  CHECK(outcome.code == ExitCode::kDone);
  CHECK_THAT(outcome.out, contains("fa1 has no head_dim 256") && contains("fa1, not run"));
}

TEST_CASE("run --generations shows the guide beside what ran, not by itself", "[cli]") {
  const Outcome outcome = run_program({"run", "--generations", "--no-counters"}, kUnknownGpu);
  CHECK_THAT(outcome.out, contains("TFLOPS") && !contains("synchronous cp.async  "));
}

TEST_CASE("run --generations goes on to the kernels that are named, each once", "[cli]") {
  const Outcome outcome =
      run_program({"run", "--generations", "--kernel", "fa3,fa3-ws", "--json", "-"}, kUnknownGpu);
  CHECK(measured_kernels(report_of(outcome)) ==
        std::vector<std::string>{"fa1", "fa2", "fa3", "fa3_fp8", "fa3-ws"});
}

TEST_CASE("run --generations keeps to the exit codes and options of run", "[cli]") {
  FakeMachine failing = kUnknownGpu;
  failing.failing_kernel = "fa1";
  const Outcome failed = run_program({"run", "--generations"}, failing);
  CHECK(failed.code == ExitCode::kCheckFailed);
  CHECK_THAT(failed.err, contains("fa1 failed verification"));
  CHECK_THAT(failed.out, contains("fa1, not run"));
  CHECK_THAT(run_program({"run", "--generations", "--mode", "burst"}, kUnknownGpu).out,
             contains("ms of rest") && contains("FlashAttention-3 FP8"));
  CHECK(run_program({"run", "--generations", "--quiet"}, kUnknownGpu).out.empty());
  CHECK_THROWS_WITH(run_program({"run", "--generations", "--device", "all"}),
                    contains("--generations can show one GPU"));
  CHECK_THROWS_AS(run_program({"run", "--generations"}, {.has_gpu = false}),
                  core::UnavailableError);
}

TEST_CASE("Without counters the table of generations has times alone", "[cli]") {
  FakeMachine without = kUnknownGpu;
  without.has_counters = false;
  const std::string out = run_program({"run", "--generations"}, without).out;
  CHECK_THAT(out, contains("over the one before") && !contains("LDGSTS, "));
  CHECK_THAT(out, !contains("both at once"));
}

TEST_CASE("A run without fa1 has no table of generations", "[cli]") {
  CHECK_THAT(run_program({"run"}, kUnknownGpu).out, !contains("FlashAttention-1"));
}
