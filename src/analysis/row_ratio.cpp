#include "src/analysis/row_ratio.h"

#include "src/core/error.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace fa3prof::analysis {
namespace {

using core::RatioInterval;
using core::Result;

RatioInterval scaled(const RatioInterval& ratio, double factor) {
  return {.median = ratio.median * factor,
          .ci95 = {ratio.ci95.lower * factor, ratio.ci95.upper * factor}};
}

RatioInterval exact(double ratio) { return {.median = ratio, .ci95 = {ratio, ratio}}; }

/// Cycles of each sample, or nothing where a clock is missing.
std::vector<double> sampled_cycles(const Result& result) {
  if (!result.timing) return {};
  const auto& times_us = result.timing->samples_us;
  const auto& clocks_mhz = result.timing->samples_clock_mhz;
  if (times_us.size() != clocks_mhz.size()) return {};
  std::vector<double> cycles(times_us.size());
  std::ranges::transform(times_us, clocks_mhz, cycles.begin(), std::multiplies());
  return cycles;
}

double max_clock_mhz(const core::Report& report) {
  return report.environment.gpu ? report.environment.gpu->max_sm_clock_mhz : 0.0;
}

bool has_cycles(const RowPair& pair) {
  return pair.base->cycles.value_or(0.0) > 0.0 && pair.fresh->cycles.value_or(0.0) > 0.0;
}

RowRatio simulated_ratio(const RowPair& pair) {
  RowRatio ratio{.time = exact(*pair.fresh->time_us / *pair.base->time_us)};
  if (!has_cycles(pair)) return ratio;
  ratio.cycles = exact(*pair.fresh->cycles / *pair.base->cycles);
  ratio.cycles_basis = "simulated";
  return ratio;
}

}  // namespace

RowRatio ratio_of(const RowPair& pair) {
  const Result& base = *pair.base;
  const Result& fresh = *pair.fresh;
  if (base.source != core::ResultSource::kMeasured) return simulated_ratio(pair);
  RowRatio ratio;
  if (!base.timing || !fresh.timing) return ratio;
  ratio.time = core::bootstrap_ratio(fresh.timing->samples_us, base.timing->samples_us);
  const std::vector<double> base_cycles = sampled_cycles(base);
  const std::vector<double> fresh_cycles = sampled_cycles(fresh);
  if (!base_cycles.empty() && !fresh_cycles.empty()) {
    ratio.cycles = core::bootstrap_ratio(fresh_cycles, base_cycles);
    ratio.cycles_basis = "sampled";
  } else if (has_cycles(pair)) {
    ratio.cycles = exact(*fresh.cycles / *base.cycles);
    ratio.cycles_basis = "counted";
  }
  return ratio;
}

RowRatio normalised_by_peak(const RowRatio& ratio, const RowPair& pair, const core::Report& base,
                            const core::Report& fresh) {
  const double base_peak = pair.base->peak_tflops.value_or(0.0);
  const double fresh_peak = pair.fresh->peak_tflops.value_or(0.0);
  const double base_clock_mhz = max_clock_mhz(base);
  const double fresh_clock_mhz = max_clock_mhz(fresh);
  if (std::min({base_peak, fresh_peak, base_clock_mhz, fresh_clock_mhz}) <= 0.0) {
    throw core::UsageError("a report does not say the tensor peak and clock of its GPU, by which " +
                           pair.base->kernel + " is to be normalised; compare reports of one GPU");
  }
  RowRatio normalised = ratio;
  const double peak = fresh_peak / base_peak;
  if (ratio.time) normalised.time = scaled(*ratio.time, peak);
  if (ratio.cycles) {
    // Cycles count against the peak per cycle.
    normalised.cycles = scaled(*ratio.cycles, peak * base_clock_mhz / fresh_clock_mhz);
  }
  return normalised;
}

}  // namespace fa3prof::analysis
