#include "tests/golden/example_report.h"

namespace fa3prof::tests {

core::AttentionProblem example_problem() {
  return {.batch = 2,
          .num_heads = 16,
          .num_heads_kv = 16,
          .seqlen_q = 8192,
          .seqlen_kv = 8192,
          .head_dim = 128};
}

core::Result measured_result(const std::string& kernel, double time_us) {
  const double clock_mhz = 1660.0;
  core::Result result;
  result.source = core::ResultSource::kMeasured;
  result.kernel = kernel;
  result.problem = example_problem();
  result.time_us = time_us;
  result.cycles = time_us * clock_mhz;
  result.clock_mhz = clock_mhz;
  result.clock_basis = "mean over the timed launches";
  result.tflops = core::flops_convention(result.problem) / time_us / 1e6;
  result.peak_tflops = 989.4;
  result.peak_basis = "spec 1830 MHz";
  result.executed_flops = core::flops_tile_padded(result.problem, {.m = 128, .n = 128});
  result.timing = core::Timing{
      .samples_us = {time_us - 1.0, time_us, time_us + 2.0, time_us, time_us, time_us + 1.0},
      .samples_clock_mhz = {1755.0, 1620.0, 1605.0, 1605.0, 1620.0, 1605.0},
      .samples_power_watts = {661.0, 661.0, 668.5, 668.5, 668.5, 672.0},
      .samples_throttle_reasons = {"", "", "power cap", "power cap", "power cap", "power cap"},
      .samples_temperature_celsius = {52.0, 52.0, 53.0, 53.0, 54.0, 54.0},
      .median_us = time_us,
      .median_ci95_us = {time_us - 1.0, time_us + 2.0},
      .cache = "warm",
      .stopped_by = "intervals",
      .target_ci95_ratio = 0.01,
      .method = core::Method{.timer = "CUDA events",
                             .mode = "sustained",
                             .inputs = "normal(0, 1)",
                             .settle_ms = 3000.0,
                             .warmup_rounds = 5,
                             .includes_quantization = false,
                             .steady_clock_ratio = 0.01},
      .warm_up =
          core::WarmUp{
              .launches = 1264, .duration_ms = 3020.5, .clock_mhz = 1612.5, .is_steady = true},
      .in_turn = {"fa2", "fa3"}};
  result.clocks = core::ClockRecord{.clock_source = "SM cycle counters",
                                    .sm_clock_mhz = clock_mhz,
                                    .sm_clock_min_mhz = 1605.0,
                                    .sm_clock_max_mhz = 1755.0,
                                    .power_watts = 668.0,
                                    .temperature_celsius = 54.0,
                                    .throttle_reasons = {"sw_power_cap"}};
  result.verification = core::Verification{.passed = true,
                                           .relative_error = 1.9e-4,
                                           .tolerance = 1e-3,
                                           .max_abs_error = 2.4e-5,
                                           .lse_max_abs_error = 1.2e-6,
                                           .rows_checked = 512,
                                           .rows_total = 262144,
                                           .failure = ""};
  result.launch = core::Launch{.tile = {.m = 128, .n = 128, .slab_m = 64},
                               .stages = 2,
                               .threads = 384,
                               .ctas_per_sm = 1,
                               .registers_per_thread = 168,
                               .shared_memory_bytes = 164000,
                               .grid = 132,
                               .is_persistent = true};
  result.counters.status = core::Counters::Status::kCollected;
  result.counters.passes = 3;
  result.counters.values = {{std::string(core::kSmCyclesElapsed), *result.cycles},
                            {std::string(core::kTensorActiveRatio), 0.731},
                            {std::string(core::kTensorFlops), *result.executed_flops}};
  return result;
}

core::Result simulated_result(const std::string& kernel, double cycles) {
  core::Result result;
  result.source = core::ResultSource::kClosedForm;
  result.kernel = kernel;
  result.pipeline = kernel == "fa3" ? "fa3_fp16" : kernel;
  result.machine = "h200_sxm";
  result.problem = example_problem();
  result.cycles = cycles;
  result.clock_mhz = 1830.0;
  result.clock_basis = "spec boost";
  result.time_us = cycles / 1830.0;
  result.tflops = core::flops_convention(result.problem) / *result.time_us / 1e6;
  result.peak_tflops = 989.4;
  result.peak_basis = "spec 1830 MHz";
  result.executed_flops = core::flops_tile_padded(result.problem, {.m = 128, .n = 128});
  result.limiter = "tensor";
  result.breakdown = {
      {"tensor_busy", 0.7 * cycles}, {"softmax_exposed", 0.25 * cycles}, {"tail", 0.05 * cycles}};
  result.terms = {{"gemm_qk", "2 * 128 * 128 * 128 / 4096", 1024.0},
                  {"softmax", "128 * 128 / 16", 1024.0}};
  return result;
}

core::Environment example_environment() {
  core::Environment environment;
  environment.tool_version = "0.1.0";
  environment.tool_commit = "0123456789";
  environment.host = "bench-01";
  environment.os = "Linux 6.8";
  environment.compiler = "GNU 12.2.0";
  environment.cuda_toolkit = "13.0";
  environment.driver = "580.82";
  environment.gpu = core::Gpu{.name = "NVIDIA H200",
                              .uuid = "GPU-01234567",
                              .capability = {9, 0},
                              .sm_count = 132,
                              .max_sm_clock_mhz = 1980.0,
                              .max_memory_clock_mhz = 3201.0,
                              .power_limit_watts = 700.0,
                              .memory_bytes = 150'754'820'096,
                              .l2_bytes = 62'914'560,
                              .shared_memory_per_sm_bytes = 233'472};
  return environment;
}

core::Report example_report() {
  core::Report report;
  report.created_at = "2026-11-30T12:00:00Z";
  report.command = {"fa3prof", "run", "--seq", "8192"};
  report.environment = example_environment();
  report.seed = 1;
  report.results = {measured_result("fa2", 3060.4), measured_result("fa3", 1724.8),
                    simulated_result("fa2", 4'820'000.0), simulated_result("fa3", 2'790'000.0)};
  report.results[1].warnings = {"the clock fell by 6 % while timing"};
  return report;
}

core::Report compared_report() {
  core::Report report = example_report();
  report.results.push_back(measured_result("cudnn", 2000.0));
  return report;
}

}  // namespace fa3prof::tests
