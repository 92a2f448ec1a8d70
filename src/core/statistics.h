// Order statistics of timing samples. Chosen because launch times are skewed and have outliers: no
// mean, no normal distribution is assumed. All functions are exact and deterministic and throw
// UsageError for empty input (but count_pairs) or a NaN in it.
#pragma once

#include "src/core/result.h"

#include <cstddef>
#include <span>

namespace fa3prof::core {

/// The middle value; the mean of the two middle values for an even count.
[[nodiscard]] double median(std::span<const double> values);

/// The `q` quantile, q in 0..1, interpolated linearly between order statistics (type 7 of Hyndman
/// and Fan 1996, the default of NumPy and R). Throws UsageError for q outside 0..1.
[[nodiscard]] double quantile(std::span<const double> values, double q);

/// Distribution-free interval of the median between the order statistics x(k) and x(n+1-k), with
/// the largest k whose coverage 1 - 2 P(Binomial(n, 1/2) < k) is at least 95 %. The coverage holds
/// for independent samples of any continuous distribution. For n < 6 no such k exists: returns
/// x(1)..x(n), whose coverage is only 1 - 2^(1-n): 93.75 % for 5 samples, 0 for one.
/// Worked example: n = 20 gives k = 6, the 6th and the 15th smallest (coverage 95.9 %).
[[nodiscard]] Interval median_ci95(std::span<const double> values);

/// A ratio of two quantities and its 95 % interval.
struct RatioInterval {
  double median = 0.0;
  Interval ci95;
};

/// At most so many blocks make a paired ratio.
inline constexpr std::size_t kRatioBlocks = 32;

/// How much longer the numerators are, for samples taken alternately, where a slow drift (clock,
/// temperature) hits both members of a pair and cancels. The pairs are cut in order into
/// min(n, kRatioBlocks) blocks of nearly equal length; each block gives the ratio of its two sums;
/// the result is the median of these and its median_ci95. With n <= kRatioBlocks that is the median
/// over the pairs.
///
/// Why blocks: a clock that hops between plateaus gives ratios in heaps, whose median can lie
/// anywhere in the gap between two heaps, and neighbours that are no independent samples. Sums over
/// longer stretches of time are neither heaped nor, once a stretch outlasts the hops, dependent;
/// the median over them still shrugs off stretches that something disturbed (the median of means of
/// Nemirovsky and Yudin 1983).
///
/// Throws UsageError unless both have the same length and all denominators are non-zero.
[[nodiscard]] RatioInterval paired_ratio(std::span<const double> numerators,
                                         std::span<const double> denominators);

/// The ratio of the medians of two series that were taken apart, numerators over denominators, and
/// its 95 % interval: the middle 95 % of the ratios of resampled series. Any length will do, but of
/// less than a handful of samples no interval says much.
///
/// Launches that follow each other are no independent samples: clock and temperature drift, and a
/// clock hops between plateaus. So whole stretches are resampled, sqrt(n) samples long, from the
/// series as a ring (the circular block bootstrap of Politis and Romano 1992). Deterministic: the
/// same series give the same interval.
///
/// Throws UsageError if a series is empty or has a sample that is not above zero.
[[nodiscard]] RatioInterval bootstrap_ratio(std::span<const double> numerators,
                                            std::span<const double> denominators);

/// How the pairs of two rankings of the same things agree.
struct PairCounts {
  std::size_t concordant = 0;     ///< ordered alike by both
  std::size_t discordant = 0;     ///< ordered one way by one, the other way by the other
  std::size_t tied_in_one = 0;    ///< equal in the first only
  std::size_t tied_in_other = 0;  ///< equal in the second only

  /// Kendall's tau-b (Kendall 1945): 1 for the same ranking, -1 for the reverse, 0 where there is
  /// nothing to rank.
  [[nodiscard]] double tau() const;

  PairCounts& operator+=(const PairCounts& other);
};

/// Of all pairs of places of two series. Throws UsageError unless they have the same length and no
/// NaN. Worked example: {1, 2, 3} and {1, 3, 2} have two concordant pairs and a discordant one, tau
/// 1/3.
[[nodiscard]] PairCounts count_pairs(std::span<const double> one, std::span<const double> other);

/// By what a series rises from its first third to its last, the ratio of their medians less one;
/// 0 for less than three samples.
[[nodiscard]] double drift_ratio(std::span<const double> values);

}  // namespace fa3prof::core
