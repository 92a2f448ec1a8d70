// What a run on a GPU finds only after the first launch, and what it makes of it.
#include "src/core/error.h"
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

/// fa2 and a plugin on a small problem, 20 rounds.
RunRequest beside_fa2(const std::string& plugin) {
  const std::vector<std::string> paths{std::string(FA3PROF_PLUGIN_DIR) + "/" + plugin + ".so"};
  RunRequest request;
  request.settle_time = {};
  request.kernels = {plugin, "fa2"};
  request.plugins = profile::load_plugins(paths);
  request.problem = {
      .num_heads = 2, .num_heads_kv = 2, .seqlen_q = 257, .seqlen_kv = 257, .head_dim = 128};
  request.samples = 20;
  request.counters = profile::CounterMode::kOff;
  return request;
}

std::vector<core::Result> run(const RunRequest& request) {
  auto results = profile::make_profiler()->run(request, {});
  REQUIRE(results.size() == 2);
  CHECK(results[1].kernel == "fa2");
  CHECK(results[1].verification->passed);
  CHECK(results[1].timing->samples_us.size() == 20);
  return results;
}

TEST_CASE("an overwrite that begins while timing is found and pinned on its kernel", "[profile]") {
  if (is_gpu_missing()) return;
  const core::Result result = run(beside_fa2("naive_writes_past_o_later"))[0];
  CHECK(result.verification->failure ==
        "O was written out of bounds, 0 bytes past its end (while timing, not at first)");
  CHECK_FALSE(result.time_us.has_value());
  CHECK_FALSE(result.clocks.has_value());
}

TEST_CASE("an input that is changed while timing is found and pinned on its kernel", "[profile]") {
  if (is_gpu_missing()) return;
  CHECK(run(beside_fa2("naive_changes_v_later"))[0].verification->failure ==
        "the input V was changed at element 0 (while timing, not at first)");
}

TEST_CASE("a workspace that does not fit leaves its kernel out, by name", "[profile]") {
  if (is_gpu_missing()) return;
  const core::Result result = run(beside_fa2("naive_large_workspace"))[0];
  CHECK_THAT(result.unsupported_reason,
             contains("naive_large_workspace asks for a workspace of 900.00 GB"));
  CHECK_FALSE(result.verification.has_value());
  CHECK_FALSE(result.time_us.has_value());
}

TEST_CASE("quantization is timed beside its kernel, or with it on request", "[profile]") {
  if (is_gpu_missing()) return;
  const auto capability = profile::describe_gpu(0).capability;
  if (core::why_unsupported(core::find_kernel(core::kFp8), capability)) return;
  RunRequest request;
  request.settle_time = {};
  request.kernels = {std::string(core::kFp8)};
  request.problem = {.batch = 4,
                     .num_heads = 16,
                     .num_heads_kv = 16,
                     .seqlen_q = 1024,
                     .seqlen_kv = 1024,
                     .head_dim = 128};
  request.samples = 20;
  request.counters = profile::CounterMode::kOff;
  const core::Result apart = profile::make_profiler()->run(request, {}).front();
  request.includes_quantization = true;
  const core::Result whole = profile::make_profiler()->run(request, {}).front();
  for (const core::Result& result : {apart, whole}) {
    REQUIRE(result.quantization.has_value());
    CHECK(result.verification->passed);
    CHECK(result.verification->tolerance == 0.1);
    CHECK(result.quantization->time_us > 0.0);
  }
  CHECK_FALSE(apart.quantization->is_included);
  CHECK(whole.quantization->is_included);
  CHECK(*whole.time_us > *apart.time_us + 0.5 * apart.quantization->time_us);
}

TEST_CASE("a launch of several kernels is timed, and why it has no counters is said", "[profile]") {
  if (is_gpu_missing()) return;
  RunRequest request = beside_fa2("naive_two_kernels");
  request.counters = profile::CounterMode::kIfAvailable;
  const auto results = run(request);
  CHECK(results[0].time_us.has_value());
  if (results[1].counters.status != core::Counters::Status::kCollected) return;
  CHECK(results[0].counters.status == core::Counters::Status::kUnavailable);
  CHECK(results[0].counters.reason == "the launch enqueues several kernels");
}

TEST_CASE("without a number of rounds they go on until the intervals are narrow", "[profile]") {
  if (is_gpu_missing()) return;
  RunRequest request = beside_fa2("naive");
  request.samples.reset();
  request.problem.seqlen_q = request.problem.seqlen_kv = 2048;
  for (const core::Result& result : profile::make_profiler()->run(request, {})) {
    REQUIRE(result.timing.has_value());
    CHECK(result.timing->samples_us.size() >= 30);
    CHECK(result.timing->target_ci95_ratio == 0.01);
    CHECK((result.timing->stopped_by == "intervals" || result.timing->stopped_by == "limit"));
    const core::Interval& interval = result.timing->median_ci95_us;
    if (result.timing->stopped_by != "intervals") continue;
    CHECK((interval.upper - interval.lower) / 2.0 < 0.012 * result.timing->median_us);
  }
}

}  // namespace
}  // namespace fa3prof::tests
