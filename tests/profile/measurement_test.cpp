#include "src/profile/measurement.h"

#include "src/profile/peak.h"
#include "tests/catch.h"

#include <algorithm>
#include <string>

namespace fa3prof::tests {
namespace {

using core::DataType;
using profile::Measurement;
using profile::tensor_flops_per_clock_per_sm;

core::Gpu h200() {
  core::Gpu gpu;
  gpu.name = "NVIDIA H200";
  gpu.capability = {9, 0};
  gpu.sm_count = 132;
  gpu.max_sm_clock_mhz = 1980.0;
  return gpu;
}

/// 1024 x 1024, head_dim 128, one head: 4 * 1024 * 1024 * 128 = 536870912 FLOPs in 10 us.
Measurement example() {
  Measurement measurement;
  measurement.kernel = "fa3";
  measurement.problem = {.seqlen_q = 1024, .seqlen_kv = 1024, .head_dim = 128};
  measurement.launch.emplace().tile = {128, 128};
  measurement.verification.passed = true;
  measurement.samples_us.assign(20, 10.0);
  measurement.cache = "warm";
  return measurement;
}

bool warns(const core::Result& result, const std::string& words) {
  return std::ranges::any_of(result.warnings, [&words](const std::string& warning) {
    return warning.find(words) != std::string::npos;
  });
}

TEST_CASE("a measured result states time, speed and peak with its basis", "[profile]") {
  const auto result = make_result(example(), h200());
  CHECK(result.source == core::ResultSource::kMeasured);
  CHECK(result.kernel == "fa3");
  CHECK(result.time_us == 10.0);
  REQUIRE(result.timing.has_value());
  CHECK(result.timing->samples_us.size() == 20);
  CHECK(result.timing->median_ci95_us == core::Interval{10.0, 10.0});
  CHECK(result.timing->cache == "warm");
  CHECK_THAT(result.tflops.value(), WithinRel(53.6870912, 1e-12));
  CHECK_THAT(result.peak_tflops.value(), WithinRel(1070.5, 1e-4));
  CHECK(result.peak_basis == "4096 FLOP/clk/SM x 132 SM at max clock 1980 MHz");
  CHECK(result.executed_flops == 536870912.0);
  CHECK_FALSE(result.cycles.has_value());
  CHECK_FALSE(result.clock_mhz.has_value());
  CHECK(result.warnings.empty());
}

TEST_CASE("a kernel that failed verification gets no speed", "[profile]") {
  Measurement measurement = example();
  measurement.verification = {.passed = false, .failure = "O is NaN"};
  measurement.samples_us.clear();
  const auto result = make_result(measurement, h200());
  CHECK(result.verification->failure == "O is NaN");
  CHECK(result.launch.has_value());
  CHECK_FALSE(result.time_us.has_value());
  CHECK_FALSE(result.tflops.has_value());
  CHECK_FALSE(result.timing.has_value());
}

TEST_CASE("a kernel that was not run has its reason and nothing else", "[profile]") {
  Measurement measurement;
  measurement.kernel = "cudnn";
  measurement.kernel_version = "9.19.0";
  measurement.problem = {.seqlen_q = 64, .seqlen_kv = 64, .head_dim = 3};
  measurement.unsupported_reason = "no engine";
  const auto result = make_result(measurement, h200());
  CHECK(result.unsupported_reason == "no engine");
  CHECK(result.kernel_version == "9.19.0");
  CHECK_FALSE(result.verification.has_value());
  CHECK_FALSE(result.timing.has_value());
  CHECK_FALSE(result.peak_tflops.has_value());
}

TEST_CASE("a measured result says what ended its rounds", "[profile]") {
  Measurement measurement = example();
  measurement.stopped_by = "limit";
  measurement.target_ci95_ratio = 0.01;
  const auto result = make_result(measurement, h200());
  CHECK(result.timing->stopped_by == "limit");
  CHECK(result.timing->target_ci95_ratio == 0.01);
}

TEST_CASE("a plugin says no launch, so no FLOPs of tiles are held against the counters",
          "[profile]") {
  Measurement measurement = example();
  measurement.kernel_version = "1.2";
  measurement.launch.reset();
  measurement.counters.values = {{"tensor_flops", 1.0}};
  const auto result = make_result(measurement, h200());
  CHECK(result.kernel_version == "1.2");
  CHECK_FALSE(result.launch.has_value());
  CHECK_FALSE(result.executed_flops.has_value());
  CHECK(result.tflops.has_value());
  CHECK(result.warnings.empty());
}

TEST_CASE("the clock comes from the counters, else from the SMs' cycles, else from NVML",
          "[profile]") {
  Measurement measurement = example();
  measurement.clocks = {.clock_source = "NVML", .sm_clock_mhz = 1700.0};
  CHECK(make_result(measurement, h200()).clock_mhz == 1700.0);
  CHECK_THAT(make_result(measurement, h200()).clock_basis, contains("NVML"));
  measurement.samples_clock_mhz = {1600.0, 1650.0, 1620.0};
  CHECK(make_result(measurement, h200()).clock_mhz == 1620.0);
  CHECK(make_result(measurement, h200()).clocks->sm_clock_min_mhz == 1600.0);
  CHECK(make_result(measurement, h200()).clocks->sm_clock_max_mhz == 1650.0);
  CHECK_THAT(make_result(measurement, h200()).clock_basis, contains("SM cycle counters"));
  measurement.counters.values = {{"sm_cycles_elapsed", 18000.0}, {"sm_clock_mhz", 1800.0}};
  const auto result = make_result(measurement, h200());
  CHECK(result.cycles == 18000.0);
  CHECK(result.clock_mhz == 1800.0);
  CHECK_THAT(result.clock_basis, contains("counters"));
}

TEST_CASE("a result has every sample's power and what held its clock back, and the method",
          "[profile]") {
  Measurement measurement = example();
  measurement.samples_power_watts = {600.0, 650.0};
  measurement.samples_throttle_reasons = {"", "power cap"};
  measurement.method = core::Method{.timer = "CUDA events", .mode = "sustained"};
  measurement.in_turn = {"fa2", "fa3"};
  const auto timing = make_result(measurement, h200()).timing;
  REQUIRE(timing.has_value());
  CHECK(timing->samples_power_watts == measurement.samples_power_watts);
  CHECK(timing->samples_throttle_reasons == measurement.samples_throttle_reasons);
  CHECK(timing->method == measurement.method);
  CHECK(timing->in_turn == measurement.in_turn);
}

TEST_CASE("what makes a result less trustworthy is a warning", "[profile]") {
  Measurement measurement = example();
  SECTION("spread samples") {
    measurement.samples_us[0] = measurement.samples_us[1] = measurement.samples_us[2] = 11.0;
    CHECK(warns(make_result(measurement, h200()), "spread over 10.0 % of the median"));
  }
  SECTION("other processes") {
    measurement.neighbours = {"2 other processes on the GPU before timing began"};
    CHECK(warns(make_result(measurement, h200()), "2 other processes on the GPU before"));
  }
  SECTION("spilled registers") {
    measurement.local_memory_bytes = 16;
    CHECK(warns(make_result(measurement, h200()), "16 bytes a thread are spilled"));
  }
  SECTION("another number of FLOPs than the tiles say") {
    measurement.counters.values = {{"tensor_flops", 536870912.0 * 1.01}};
    CHECK(warns(make_result(measurement, h200()), "+1.00 % against the tile-padded FLOPs"));
  }
  SECTION("a counted launch of another duration") {
    measurement.counters.values = {{"gpu_time_us", 7.5}};
    CHECK(warns(make_result(measurement, h200()), "-25 % against the timed median"));
  }
  SECTION("none of it") {
    measurement.counters.values = {{"tensor_flops", 536870912.0}, {"gpu_time_us", 10.5}};
    measurement.clocks.emplace();
    CHECK(make_result(measurement, h200()).warnings.empty());
  }
}

TEST_CASE("the tensor rate is known for A100 and Hopper only", "[profile]") {
  core::Gpu gpu = h200();
  CHECK(tensor_flops_per_clock_per_sm(gpu, DataType::kFloat16) == 4096.0);
  CHECK(tensor_flops_per_clock_per_sm(gpu, DataType::kFloat8E4M3) == 8192.0);
  gpu.name = "NVIDIA H20";
  CHECK_FALSE(tensor_flops_per_clock_per_sm(gpu, DataType::kFloat16).has_value());
  CHECK_FALSE(make_result(example(), gpu).peak_tflops.has_value());
  gpu.name = "NVIDIA A100-SXM4-80GB";
  gpu.capability = {8, 0};
  CHECK(tensor_flops_per_clock_per_sm(gpu, DataType::kBFloat16) == 2048.0);
  CHECK_FALSE(tensor_flops_per_clock_per_sm(gpu, DataType::kFloat8E4M3).has_value());
  gpu.capability = {12, 0};
  CHECK_FALSE(tensor_flops_per_clock_per_sm(gpu, DataType::kFloat16).has_value());
}

}  // namespace
}  // namespace fa3prof::tests
