// cuDNN on the command line, with a fake library and a fake profiler.
#include "src/core/json_reader.h"
#include "tests/catch.h"
#include "tests/cli/fake_program.h"
#include "tests/profile/fake_cudnn.h"

using namespace fa3prof;
using namespace fa3prof::tests;
using core::ExitCode;

TEST_CASE("cuDNN is a kernel like ours, with its version and without a model", "[cli]") {
  const ChosenCudnn chosen(fake_cudnn());
  const Outcome outcome = run_program({"run", "--kernel", "fa2,cudnn,fa3", "--json", "-"});
  CHECK(outcome.code == ExitCode::kDone);
  const core::Report report = report_of(outcome);
  REQUIRE(report.results.size() == 5);
  CHECK(report.results[1].kernel == "cudnn");
  CHECK(report.results[1].kernel_version == "9.19.0");
  CHECK_THAT(outcome.err, contains("cudnn over fa2") && contains("peers     cudnn 9.19.0"));
}

TEST_CASE("cuDNN is measured only where it is named", "[cli]") {
  const ChosenCudnn chosen(fake_cudnn());
  CHECK_THAT(run_program({"run"}).out, !contains("cudnn"));
}

TEST_CASE("a cuDNN that is named and not there ends the run before it begins", "[cli]") {
  const ChosenCudnn chosen("/no/such/file");
  CHECK_THROWS_AS(run_program({"run", "--kernel", "fa2,cudnn"}), core::UnavailableError);
}

TEST_CASE("a problem that cuDNN does not take is a row with its reason", "[cli]") {
  const ChosenCudnn chosen(fake_cudnn());
  const std::vector<std::string> problem{"--seq", "512", "--seq-kv", "256", "--causal"};
  std::vector<std::string> arguments{"run", "--kernel", "fa3,cudnn", "--json", "-"};
  arguments.insert(arguments.end(), problem.begin(), problem.end());
  const Outcome outcome = run_program(arguments);
  CHECK(outcome.code == ExitCode::kDone);
  CHECK_THAT(outcome.err, contains("not supported: cudnn 9.19.0 has no causal mask"));
  arguments[2] = "cudnn";
  CHECK_THROWS_WITH(run_program(arguments), contains("more queries than keys"));
}

TEST_CASE("where the GPU shows that no kernel takes the problem, the exit code is 3", "[cli]") {
  const ChosenCudnn chosen(fake_cudnn());
  const FakeMachine machine{.refusing_kernel = "cudnn"};
  const Outcome alone = run_program({"run", "--kernel", "cudnn"}, machine);
  CHECK(alone.code == ExitCode::kUnavailable);
  CHECK_THAT(alone.out, contains("not supported: no engine"));
  CHECK_THAT(alone.err, contains("no kernel was run"));
  const Outcome beside = run_program({"run", "--kernel", "fa2,cudnn"}, machine);
  CHECK(beside.code == ExitCode::kDone);
  CHECK_THAT(beside.out, contains("not supported: no engine"));
}

TEST_CASE("list --kernels shows cuDNN with its version, or why there is none", "[cli]") {
  {
    const ChosenCudnn chosen(fake_cudnn());
    CHECK_THAT(run_program({"list", "--kernels"}).out, contains("9.19.0 at " + fake_cudnn()));
  }
  const ChosenCudnn chosen(fake_cudnn("old"));
  const core::Json document =
      core::parse_json(run_program({"list", "--kernels", "--json", "-"}).out, "stdout");
  CHECK(document["kernels"].back()["name"] == "cudnn");
  CHECK_THAT(document["kernels"].back()["needs"].get<std::string>(), contains("is older than"));
}
