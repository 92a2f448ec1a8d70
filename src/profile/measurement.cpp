#include "src/profile/measurement.h"

#include "src/core/statistics.h"
#include "src/profile/peak.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fa3prof::profile {
namespace {

constexpr double kSpreadLimit = 0.02;
constexpr double kFlopsLimit = 0.001;
constexpr double kReplayTimeLimit = 0.2;  // a power cap bites less in a replay of milliseconds

void add_timing(const Measurement& measurement, core::Result& result) {
  core::Timing timing;
  timing.samples_us = measurement.samples_us;
  timing.samples_clock_mhz = measurement.samples_clock_mhz;
  timing.samples_power_watts = measurement.samples_power_watts;
  timing.samples_throttle_reasons = measurement.samples_throttle_reasons;
  timing.samples_temperature_celsius = measurement.samples_temperature_celsius;
  timing.method = measurement.method;
  timing.warm_up = measurement.warm_up;
  timing.in_turn = measurement.in_turn;
  timing.median_us = core::median(measurement.samples_us);
  timing.median_ci95_us = core::median_ci95(measurement.samples_us);
  timing.cache = measurement.cache;
  timing.stopped_by = measurement.stopped_by;
  timing.target_ci95_ratio = measurement.target_ci95_ratio;
  result.time_us = timing.median_us;
  result.quantization = measurement.quantization;
  result.tflops = core::flops_convention(measurement.problem) / timing.median_us * 1e-6;
  result.timing = timing;
}

/// The SMs' own counters, where they were read, say what the clock was; NVML lags behind.
void add_clocks(const Measurement& measurement, core::Result& result) {
  result.clocks = measurement.clocks;
  const auto& clocks_mhz = measurement.samples_clock_mhz;
  if (clocks_mhz.empty() || !result.clocks) return;
  const auto [lowest, highest] = std::ranges::minmax(clocks_mhz);
  result.clocks->clock_source = "SM cycle counters";
  result.clocks->sm_clock_mhz = core::median(clocks_mhz);
  result.clocks->sm_clock_min_mhz = lowest;
  result.clocks->sm_clock_max_mhz = highest;
}

void add_cycles(const Measurement& measurement, core::Result& result) {
  result.cycles = measurement.counters.find(core::kSmCyclesElapsed);
  result.clock_mhz = measurement.counters.find("sm_clock_mhz");
  if (result.clock_mhz) {
    result.clock_basis = "counters: SM cycles over GPU time of the replayed launch";
  } else if (!measurement.samples_clock_mhz.empty()) {
    result.clock_mhz = core::median(measurement.samples_clock_mhz);
    result.clock_basis = "SM cycle counters while timing";
  } else if (result.clocks) {
    result.clock_mhz = result.clocks->sm_clock_mhz;
    result.clock_basis = result.clocks->clock_source + " while timing";
  }
}

void warn_about_noise(const Measurement& measurement, core::Result& result) {
  const auto& samples = measurement.samples_us;
  const double spread =
      (core::quantile(samples, 0.9) - core::quantile(samples, 0.1)) / core::median(samples);
  if (spread > kSpreadLimit) {
    result.warnings.push_back(fmt::format(
        "the middle 80 % of the samples spread over {:.1f} % of the median", spread * 100.0));
  }
  result.warnings.insert(result.warnings.end(), measurement.neighbours.begin(),
                         measurement.neighbours.end());
}

void warn_about_counters(const Measurement& measurement, core::Result& result) {
  const auto counted = measurement.counters.find(core::kTensorFlops);
  if (counted && result.executed_flops.value_or(0.0) > 0.0) {
    const double deviation = *counted / *result.executed_flops - 1.0;
    if (std::abs(deviation) > kFlopsLimit) {
      result.warnings.push_back(fmt::format(
          "the hardware counted {:+.2f} % against the tile-padded FLOPs", deviation * 100.0));
    }
  }
  const auto replay_us = measurement.counters.find("gpu_time_us");
  if (replay_us && result.time_us) {
    const double deviation = *replay_us / *result.time_us - 1.0;
    if (std::abs(deviation) > kReplayTimeLimit) {
      result.warnings.push_back(fmt::format(
          "the launch that was counted took {:+.0f} % against the timed median: another clock",
          deviation * 100.0));
    }
  }
}

void add_trace(const Measurement& measurement, core::Result& result) {
  if (!measurement.not_traced_reason.empty()) {
    result.warnings.push_back("not traced: " + measurement.not_traced_reason);
  }
  result.stage_trace = measurement.stage_trace;
  if (!result.stage_trace) return;
  const core::StageTrace& trace = *result.stage_trace;
  core::TraceSummary& summary = result.trace.emplace();
  for (const core::TracedCta& cta : trace.ctas) summary.ctas.push_back(cta.number);
  summary.dropped_records = trace.dropped();
  summary.traced_us = trace.traced_us;
  summary.timed_us = trace.timed_us;
  summary.clock_mhz = trace.clock_mhz;
  summary.cta_loss_ratio = trace.cta_loss_ratio();
}

}  // namespace

core::Result make_result(const Measurement& measurement, const core::Gpu& gpu) {
  core::Result result;
  result.source = core::ResultSource::kMeasured;
  result.kernel = measurement.kernel;
  result.kernel_version = measurement.kernel_version;
  result.problem = measurement.problem;
  result.unsupported_reason = measurement.unsupported_reason;
  if (!result.unsupported_reason.empty()) return result;
  result.launch = measurement.launch;
  result.verification = measurement.verification;
  if (measurement.launch) {
    result.executed_flops = core::flops_tile_padded(measurement.problem, measurement.launch->tile);
  }
  result.counters = measurement.counters;
  if (const auto peak = tensor_peak(gpu, measurement.multiplies)) {
    result.peak_tflops = peak->tflops;
    result.peak_basis = peak->basis;
  }
  if (measurement.local_memory_bytes > 0) {
    result.warnings.push_back(fmt::format("{} bytes a thread are spilled to local memory",
                                          measurement.local_memory_bytes));
  }
  if (measurement.samples_us.empty()) return result;
  add_timing(measurement, result);
  add_clocks(measurement, result);
  add_cycles(measurement, result);
  warn_about_noise(measurement, result);
  warn_about_counters(measurement, result);
  add_trace(measurement, result);
  return result;
}

}  // namespace fa3prof::profile
