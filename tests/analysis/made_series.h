// Series of samples as a GPU might give them, made up: what comparing two builds must not fall for.
#pragma once

#include "src/core/report.h"

#include <cstddef>
#include <vector>

namespace fa3prof::tests {

struct Series {
  std::vector<double> times_us;
  std::vector<double> clocks_mhz;
};

/// Samples about `time_us`, a percent to either side, at 1650 MHz; another `take`, other noise.
[[nodiscard]] Series steady(double time_us, std::size_t count, unsigned take = 0);

/// The same cycles at another clock.
[[nodiscard]] Series at_clock(Series series, double clock_mhz);

/// 210 samples whose clock hops between 1650 and 1610 MHz every `stretch` of them.
[[nodiscard]] Series hopping(double time_us, std::size_t stretch);

/// 120 samples, whose times rise by `ratio` from first to last because the clock falls.
[[nodiscard]] Series drifting(double time_us, double ratio);

/// A verified fa3 with these samples.
[[nodiscard]] core::Result row_of_series(const Series& series);

/// One such row, measured on an H200.
[[nodiscard]] core::Report report_of_series(const Series& series);

}  // namespace fa3prof::tests
