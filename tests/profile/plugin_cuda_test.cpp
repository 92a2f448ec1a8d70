// Plugins on a GPU beside our kernels.
#include "src/core/error.h"
#include "src/core/statistics.h"
#include "src/profile/device.h"
#include "src/profile/profiler.h"
#include "tests/catch.h"

#include <iostream>
#include <string>
#include <vector>

namespace fa3prof::tests {
namespace {

using profile::RunRequest;

bool is_gpu_missing() {
  if (!profile::why_no_gpu() && profile::describe_gpu(0).capability.major >= 8) return false;
  std::cout << "SKIPPED: no GPU of compute capability 8.0 or newer\n";
  return true;
}

/// fa2 and these plugins on a small problem with rows that see no key.
RunRequest beside_fa2(const std::vector<std::string>& plugins) {
  std::vector<std::string> paths;
  RunRequest request;
  request.settle_time = {};
  request.samples = 30;
  request.kernels = {"fa2"};
  for (const std::string& plugin : plugins) {
    paths.push_back(std::string(FA3PROF_PLUGIN_DIR) + "/" + plugin + ".so");
    request.kernels.push_back(plugin);
  }
  request.plugins = profile::load_plugins(paths);
  request.problem = {.batch = 2,
                     .num_heads = 4,
                     .num_heads_kv = 2,
                     .seqlen_q = 301,
                     .seqlen_kv = 270,
                     .head_dim = 128,
                     .is_causal = true};
  request.verify = profile::VerifyMode::kFull;
  request.counters = profile::CounterMode::kOff;
  return request;
}

/// The results of a run in which the plugin fails and fa2 does not.
core::Result failed_result(const std::string& plugin) {
  RunRequest request = beside_fa2({plugin});
  const auto results = profile::make_profiler()->run(request, {});
  REQUIRE(results.size() == 2);
  CHECK(results[0].verification->passed);
  CHECK(results[0].time_us.has_value());
  CHECK_FALSE(results[1].verification->passed);
  CHECK_FALSE(results[1].time_us.has_value());
  CHECK_FALSE(results[1].timing.has_value());
  return results[1];
}

TEST_CASE("a plugin is verified, timed and counted beside our kernels", "[profile]") {
  if (is_gpu_missing()) return;
  RunRequest request = beside_fa2({"naive"});
  request.problem.is_causal = GENERATE(false, true);
  request.counters = profile::CounterMode::kIfAvailable;
  const auto results = profile::make_profiler()->run(request, {});
  REQUIRE(results.size() == 2);
  const core::Result& naive = results[1];
  INFO(naive.verification->failure);
  CHECK(naive.kernel == "naive");
  CHECK(naive.kernel_version == "1.0");
  CHECK(naive.verification->passed);
  CHECK(naive.timing->samples_us.size() == results[0].timing->samples_us.size());
  CHECK_FALSE(naive.launch.has_value());
  CHECK_FALSE(naive.executed_flops.has_value());
  if (naive.counters.status == core::Counters::Status::kCollected) {
    CHECK(naive.counters.find(core::kTensorFlops) == 0.0);
  }
}

TEST_CASE("one kernel under two names is as fast as itself", "[profile]") {
  if (is_gpu_missing()) return;
  RunRequest request = beside_fa2({"naive", "naive_twin"});
  request.samples = 100;
  request.problem.seqlen_q = request.problem.seqlen_kv = 1024;
  const auto results = profile::make_profiler()->run(request, {});
  REQUIRE(results.size() == 3);
  REQUIRE(results[1].timing.has_value());
  REQUIRE(results[2].timing.has_value());
  const auto ratio =
      core::paired_ratio(results[1].timing->samples_us, results[2].timing->samples_us);
  CAPTURE(ratio.median, ratio.ci95.lower, ratio.ci95.upper);
  const bool is_within = ratio.ci95.lower <= 1.0 && ratio.ci95.upper >= 1.0;
  const bool is_within_two_percent = ratio.median > 0.98 && ratio.median < 1.02;
  CHECK((is_within || is_within_two_percent));
}

TEST_CASE("a write past O is found and named", "[profile]") {
  if (is_gpu_missing()) return;
  CHECK(failed_result("naive_writes_past_o").verification->failure ==
        "O was written out of bounds, 0 bytes past its end");
}

TEST_CASE("a write before the workspace is found and named", "[profile]") {
  if (is_gpu_missing()) return;
  CHECK(failed_result("naive_writes_before_workspace").verification->failure ==
        "the workspace was written out of bounds, 1 bytes before its beginning");
}

TEST_CASE("a changed input is found, named and made good for the kernels that follow",
          "[profile]") {
  if (is_gpu_missing()) return;
  CHECK(failed_result("naive_changes_k").verification->failure ==
        "the input K was changed at element 0");
  RunRequest request = beside_fa2({"naive_changes_k"});
  request.kernels = {"naive_changes_k", "fa2"};
  CHECK(profile::make_profiler()->run(request, {})[1].verification->passed);
}

TEST_CASE("an O that a plugin leaves unwritten fails", "[profile]") {
  if (is_gpu_missing()) return;
  CHECK_THAT(failed_result("naive_writes_nothing").verification->failure,
             contains("was not written"));
}

TEST_CASE("a launch that fails after verification takes only its own speed away", "[profile]") {
  if (is_gpu_missing()) return;
  CHECK(failed_result("naive_fails_later").verification->failure ==
        "its launch returned 7: tired (while timing)");
}

TEST_CASE("a refusing launch is a failure in the plugin's words", "[profile]") {
  if (is_gpu_missing()) return;
  const core::Result result = failed_result("example");
  CHECK(result.verification->failure == "its launch returned 1: no CUDA in this example");
  CHECK(result.verification->rows_checked == 0);
}

}  // namespace
}  // namespace fa3prof::tests
