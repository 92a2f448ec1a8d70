// A sweep whose GPU breaks under it, and one that is not alone on its GPU.
#include "src/core/json_reader.h"
#include "tests/catch.h"
#include "tests/cli/process.h"
#include "tests/cli/temporary_directory.h"

#include <fstream>
#include <iostream>
#include <string>

using namespace fa3prof;
using namespace fa3prof::tests;

namespace {

const std::string kTrap = FA3PROF_PLUGIN_DIR "/naive_traps_at_512.so";
const std::string kFakeNvml = "FA3PROF_NVML=" FA3PROF_PLUGIN_DIR "/fake_nvml.so FAKE_NVML_STATE=";

bool is_gpu_missing() {
  if (run_process("doctor --quiet").exit_code == 0 && std::ifstream(kTrap)) return false;
  std::cout << "SKIPPED: no GPU that runs the kernels, or built without CUDA\n";
  return true;
}

/// Two problems, of which a kernel traps in the second.
std::string sweep_with_trap(const std::string& report) {
  return "run --seq 256,512 --batch 1 --heads 2 --kernel fa2 --no-counters --rounds 20 --plugin " +
         kTrap + " --json " + report;
}

/// The first problem is whole, and a warning names the second.
void check_is_saved(const TemporaryDirectory& directory) {
  const core::Json report = core::load_json(directory.path("report.json"));
  const core::Json& first = report.at("results").at(0);
  CHECK(first.at("problem").at("seqlen_q") == 256);
  CHECK(first.contains("time_us"));
  const std::string warnings = report.at("warnings").dump();
  CHECK_THAT(warnings, contains("the run ended early") && contains("1 problem(s) are missing") &&
                           contains("sq512"));
}

}  // namespace

TEST_CASE("A trap in the second problem of a sweep keeps the first", "[cli]") {
  if (is_gpu_missing()) return;
  const TemporaryDirectory directory;
  const ProcessOutcome outcome = run_process(sweep_with_trap(directory.path("report.json")));
  CHECK(outcome.exit_code == 4);
  CHECK_THAT(outcome.err, contains("while verifying naive_traps_at_512"));
  check_is_saved(directory);
}

TEST_CASE("A GPU that is lost in the second problem of a sweep keeps the first", "[cli]") {
  if (is_gpu_missing()) return;
  const TemporaryDirectory directory;
  const std::string state = directory.write("state", "pids self\nstatus 15\nxids 79\n");
  const ProcessOutcome outcome =
      run_process(sweep_with_trap(directory.path("report.json")), kFakeNvml + state);
  CHECK(outcome.exit_code == 3);
  CHECK_THAT(outcome.err, contains("the GPU was lost: NVML says that the GPU is lost") &&
                              contains("Xid 79") && contains("nvidia-smi --gpu-reset"));
  check_is_saved(directory);
}

TEST_CASE("A second process on the GPU is a warning in the report", "[cli]") {
  if (is_gpu_missing()) return;
  const TemporaryDirectory directory;
  const std::string state = directory.write("state", "pids self 4711\nbusy 87\n");
  const ProcessOutcome outcome = run_process(
      "run --seq 256 --batch 1 --heads 2 --kernel fa2 --no-counters --rounds 20 --json -",
      kFakeNvml + state);
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, contains("1 other process on the GPU before timing began: pid 4711") &&
                              contains("the GPU was 87 % busy before this run launched anything"));
}
