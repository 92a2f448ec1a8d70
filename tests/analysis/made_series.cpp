#include "tests/analysis/made_series.h"

#include "src/core/statistics.h"
#include "tests/golden/example_report.h"

#include <random>

namespace fa3prof::tests {
namespace {

constexpr double kClockMhz = 1650.0;
constexpr double kLowClockMhz = 1610.0;

/// The sample's time at another clock.
void set_clock(Series& series, std::size_t sample, double clock_mhz) {
  series.times_us[sample] *= series.clocks_mhz[sample] / clock_mhz;
  series.clocks_mhz[sample] = clock_mhz;
}

}  // namespace

Series steady(double time_us, std::size_t count, unsigned take) {
  std::mt19937 random(take);
  Series series{.times_us = {}, .clocks_mhz = std::vector<double>(count, kClockMhz)};
  for (std::size_t i = 0; i < count; ++i) {
    const double uniform = static_cast<double>(random()) / static_cast<double>(std::mt19937::max());
    series.times_us.push_back(time_us * (0.99 + 0.02 * uniform));
  }
  return series;
}

Series at_clock(Series series, double clock_mhz) {
  for (std::size_t i = 0; i < series.times_us.size(); ++i) set_clock(series, i, clock_mhz);
  return series;
}

Series hopping(double time_us, std::size_t stretch) {
  Series series = steady(time_us, 210, static_cast<unsigned>(stretch));
  for (std::size_t i = 0; i < series.times_us.size(); ++i) {
    if (i / stretch % 2 == 1) set_clock(series, i, kLowClockMhz);
  }
  return series;
}

Series drifting(double time_us, double ratio) {
  Series series = steady(time_us, 120, 1);
  for (std::size_t i = 0; i < series.times_us.size(); ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(series.times_us.size() - 1);
    set_clock(series, i, kClockMhz / (1.0 + ratio * share));
  }
  return series;
}

core::Result row_of_series(const Series& series) {
  core::Result result = measured_result("fa3", core::median(series.times_us));
  result.cycles.reset();
  result.counters = {};
  result.timing->samples_us = series.times_us;
  result.timing->samples_clock_mhz = series.clocks_mhz;
  return result;
}

core::Report report_of_series(const Series& series) {
  core::Report report;
  report.created_at = "2026-11-30T12:00:00Z";
  report.environment = example_environment();
  report.seed = 1;
  report.results = {row_of_series(series)};
  return report;
}

}  // namespace fa3prof::tests
