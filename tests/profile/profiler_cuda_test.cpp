// The whole profiler on a GPU; without one only how it declines.
#include "src/core/error.h"
#include "src/profile/device.h"
#include "src/profile/profiler.h"
#include "tests/catch.h"

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

namespace fa3prof::tests {
namespace {

using core::AttentionProblem;
using core::Counters;
using profile::CacheMode;
using profile::CounterMode;
using profile::RunRequest;
using profile::VerifyMode;

bool is_hopper_missing() {
  if (!profile::why_no_gpu() && profile::describe_gpu(0).capability.major == 9) return false;
  std::cout << "SKIPPED: no GPU of compute capability 9.x\n";
  return true;
}

/// Small, not a multiple of any tile, more queries than keys: rows that see no key included.
AttentionProblem small_problem(bool is_causal) {
  return {.batch = 2,
          .num_heads = 4,
          .num_heads_kv = 4,
          .seqlen_q = 1037,
          .seqlen_kv = 901,
          .head_dim = 128,
          .is_causal = is_causal};
}

RunRequest both_kernels(const AttentionProblem& problem) {
  RunRequest request;
  request.settle_time = {};
  request.samples = 30;
  request.kernels = {"fa2", "fa3"};
  request.problem = problem;
  request.verify = VerifyMode::kFull;
  return request;
}

void check_is_complete(const core::Result& result) {
  CAPTURE(result.kernel);
  REQUIRE(result.verification.has_value());
  INFO(result.verification->failure);
  CHECK(result.verification->passed);
  CHECK(result.verification->relative_error > 0.0);
  CHECK(result.verification->rows_checked == result.verification->rows_total);
  REQUIRE(result.timing.has_value());
  CHECK(result.timing->samples_us.size() == 30);
  CHECK(result.time_us.value() > 0.0);
  CHECK(result.tflops.value() < result.peak_tflops.value());
  REQUIRE(result.launch.has_value());
  CHECK(result.launch->grid > 0);
  CHECK(result.launch->registers_per_thread > 0);
}

void check_counters(const core::Result& result) {
  CAPTURE(result.kernel, result.counters.reason);
  REQUIRE(result.counters.status == Counters::Status::kCollected);
  CHECK(result.counters.passes >= 1);
  const auto value = [&result](std::string_view key) { return result.counters.find(key).value(); };
  CHECK_THAT(value(core::kTensorFlops), WithinRel(result.executed_flops.value(), 1e-3));
  const bool is_wgmma = result.kernel == "fa3";
  CHECK((value("tensor_wgmma_fp16_flops") > 0.0) == is_wgmma);
  CHECK((value("tensor_mma_fp16_flops") > 0.0) == !is_wgmma);
  CHECK((value("tma_load_bytes") > 0.0) == is_wgmma);
  CHECK(result.cycles.value() > 0.0);
  // The achieved clock is cycles over time by definition; anything else means mixed-up units.
  CHECK_THAT(value("sm_clock_mhz"), WithinRel(result.cycles.value() / value("gpu_time_us"), 0.05));
  for (const auto& [key, counted] : result.counters.values) {
    CAPTURE(key, counted);
    CHECK(counted >= 0.0);
    if (std::string_view(key).ends_with("_ratio")) CHECK(counted <= 1.0);
  }
}

TEST_CASE("both kernels verify, are timed and counted", "[profile]") {
  if (is_hopper_missing()) return;
  const bool is_causal = GENERATE(false, true);
  const auto profiler = profile::make_profiler();
  const auto results = profiler->run(both_kernels(small_problem(is_causal)), {});
  REQUIRE(results.size() == 2);
  CHECK(results[0].kernel == "fa2");
  CHECK(results[1].kernel == "fa3");
  for (const core::Result& result : results) {
    check_is_complete(result);
    if (result.counters.status == Counters::Status::kCollected) check_counters(result);
  }
}

TEST_CASE("required counters are collected or the run fails", "[profile]") {
  if (is_hopper_missing()) return;
  RunRequest request = both_kernels(small_problem(true));
  request.counters = CounterMode::kRequired;
  const auto profiler = profile::make_profiler();
  try {
    for (const core::Result& result : profiler->run(request, {})) check_counters(result);
  } catch (const core::DeviceError& error) {
    const std::string text = error.what();
    REQUIRE_THAT(text, contains("counters are required but unavailable"));
    std::cout << "SKIPPED: " << text << "\n";
  }
}

TEST_CASE("a cold cache is timed too and no counters are taken when off", "[profile]") {
  if (is_hopper_missing()) return;
  RunRequest request = both_kernels(small_problem(false));
  request.cache = CacheMode::kCold;
  request.counters = CounterMode::kOff;
  for (const core::Result& result : profile::make_profiler()->run(request, {})) {
    check_is_complete(result);
    CHECK(result.timing->cache == "cold");
    CHECK(result.counters.status == Counters::Status::kNotRequested);
  }
}

TEST_CASE("progress names each step of a run", "[profile]") {
  if (is_hopper_missing()) return;
  std::string steps;
  RunRequest request = both_kernels(small_problem(false));
  request.counters = CounterMode::kOff;
  static_cast<void>(profile::make_profiler()->run(
      request, [&steps](const std::string& step) { steps += step + "; "; }));
  CHECK_THAT(steps, contains("verifying fa2") && contains("verifying fa3") && contains("timing"));
}

TEST_CASE("a problem beyond the GPU's memory is refused before the launch", "[profile]") {
  if (is_hopper_missing()) return;
  AttentionProblem problem = small_problem(false);
  problem.batch = 1 << 20;
  CHECK_THROWS_AS(profile::make_profiler()->run(both_kernels(problem), {}), core::UnavailableError);
}

TEST_CASE("a GPU that does not exist is a usage error", "[profile]") {
  if (is_hopper_missing()) return;
  RunRequest request = both_kernels(small_problem(false));
  request.device = 99;
  CHECK_THROWS_AS(profile::make_profiler()->run(request, {}), core::UsageError);
}

TEST_CASE("the doctor finds a GPU and gives each topic once", "[profile]") {
  if (is_hopper_missing()) return;
  std::vector<std::string> topics;
  for (const profile::Finding& finding : profile::make_profiler()->diagnose(0)) {
    CHECK(std::ranges::find(topics, finding.topic) == topics.end());
    topics.push_back(finding.topic);
  }
  CHECK(topics.size() == 11);
  CHECK(profile::make_profiler()->environment(0).gpu.has_value());
}

TEST_CASE("a request that no GPU could serve is a usage error before one is looked for",
          "[profile]") {
  const auto profiler = profile::make_profiler();
  RunRequest request = both_kernels(small_problem(false));
  SECTION("no kernel") { request.kernels.clear(); }
  SECTION("an unknown kernel") { request.kernels = {"fa9"}; }
  SECTION("too few samples") { request.samples = 19; }
  SECTION("an unsupported head_dim") { request.problem.head_dim = 96; }
  SECTION("an impossible size") { request.problem.seqlen_q = 0; }
  CHECK_THROWS_AS(profiler->run(request, {}), core::UsageError);
}

TEST_CASE("without a GPU a run is unavailable and the doctor says why", "[profile]") {
  if (!profile::why_no_gpu()) {
    std::cout << "SKIPPED: this machine has a GPU\n";
    return;
  }
  const auto profiler = profile::make_profiler();
  CHECK_FALSE(profiler->environment(0).gpu.has_value());
  CHECK_THROWS_AS(profiler->run(both_kernels(small_problem(false)), {}), core::UnavailableError);
  bool is_gpu_missing = false;
  for (const profile::Finding& finding : profiler->diagnose(0)) {
    if (finding.topic == "GPU") {
      is_gpu_missing = finding.severity == profile::Finding::Severity::kMissing;
      CHECK_FALSE(finding.cure.empty());
    }
  }
  CHECK(is_gpu_missing);
}

}  // namespace
}  // namespace fa3prof::tests
