// Whether a series of samples, taken one after the other, stayed what it was: drift and hopping.
#pragma once

#include <optional>
#include <span>

namespace fa3prof::core {

/// The rise from the first third of the series to its last, the ratio of their medians less one,
/// where it is real: at least `least_ratio` to either side, and, the series cut in order into 18
/// blocks of nearly equal length, all means of the last six above, or all below, those of the first
/// six. Blocks that follow no course are so parted in 2 of C(12, 6) = 924 cases, one in 462 (the
/// extreme of the test of Mann and Whitney 1947). Means of blocks, because neighbouring launches
/// share a clock and are no independent samples. Nothing for less than 18 values. Throws UsageError
/// for a NaN.
[[nodiscard]] std::optional<double> significant_drift(std::span<const double> values,
                                                      double least_ratio);

/// A series in two heaps with nothing much between them.
struct TwoLevels {
  double low = 0.0;   ///< mean of the lower heap
  double high = 0.0;  ///< mean of the upper heap
  double high_share_ratio = 0.0;
};

/// The two levels between which a series hopped, where there are such: the cut that parts the
/// values best (Otsu 1979) explains 0.9 of their variance, either side has a tenth of them, and the
/// levels lie at least `least_ratio` of the lower apart. The cut explains 0.64 of a normal and 0.75
/// of a uniform distribution. Nothing for less than 20 values. Throws UsageError for a NaN.
///
/// Worked example: 60 values about 1620 and 40 about 1560 are {1560, 1620, 0.6} at 0.02.
[[nodiscard]] std::optional<TwoLevels> two_levels(std::span<const double> values,
                                                  double least_ratio);

}  // namespace fa3prof::core
