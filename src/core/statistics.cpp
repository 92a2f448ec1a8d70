#include "src/core/statistics.h"

#include "src/core/error.h"
#include "src/core/split_mix.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace fa3prof::core {
namespace {

std::vector<double> sorted(std::span<const double> values, const char* statistic) {
  if (values.empty()) {
    throw UsageError(std::string(statistic) + " of no samples; take at least one");
  }
  if (std::ranges::any_of(values, [](double value) { return std::isnan(value); })) {
    throw UsageError(std::string(statistic) + " of samples that contain a NaN; remove the cause");
  }
  std::vector<double> copy(values.begin(), values.end());
  std::ranges::sort(copy);
  return copy;
}

double quantile_of_sorted(const std::vector<double>& sorted_values, double q) {
  const double position = q * static_cast<double>(sorted_values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted_values.size() - 1);
  return std::lerp(sorted_values[below], sorted_values[above],
                   position - static_cast<double>(below));
}

double sum(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// The largest k with 2 P(Binomial(n, 1/2) < k) <= 5 %, or 0. Weights are relative to the central
// one, so nothing that counts underflows however large n is.
std::size_t median_rank(std::size_t n) {
  const std::size_t middle = n / 2;
  std::vector<double> weights(middle + 1);
  weights[middle] = 1.0;
  for (std::size_t i = middle; i > 0; --i) {
    weights[i - 1] = weights[i] * static_cast<double>(i) / static_cast<double>(n - i + 1);
  }
  double total = n % 2 == 0 ? -1.0 : 0.0;  // an even n has one central weight, not two
  for (const double weight : weights) total += 2.0 * weight;
  double tails = 0.0;
  for (std::size_t k = 0; k < middle; ++k) {
    tails += 2.0 * weights[k];
    if (tails > 0.05 * total) return k;
  }
  return middle;
}

constexpr std::size_t kResamples = 2000;

/// Draws medians of resampled series.
class Resampler {
 public:
  explicit Resampler(std::span<const double> values)
      : values_(values), block_(block_length(values.size())), drawn_(values.size()) {}

  double draw_median(SplitMix64& random) {
    for (std::size_t i = 0; i < drawn_.size(); i += block_) {
      const std::size_t begin = random.below(values_.size());
      const std::size_t end = std::min(i + block_, drawn_.size());
      for (std::size_t j = i; j < end; ++j) drawn_[j] = values_[(begin + j - i) % values_.size()];
    }
    const auto middle = drawn_.begin() + static_cast<std::ptrdiff_t>(drawn_.size() / 2);
    std::ranges::nth_element(drawn_, middle);
    if (drawn_.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(drawn_.begin(), middle)) / 2.0;
  }

 private:
  static std::size_t block_length(std::size_t count) {
    return static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(count))));
  }

  std::span<const double> values_;
  std::size_t block_;
  std::vector<double> drawn_;
};

}  // namespace

double median(std::span<const double> values) {
  return quantile_of_sorted(sorted(values, "median"), 0.5);
}

double quantile(std::span<const double> values, double q) {
  if (!(q >= 0.0 && q <= 1.0)) {
    throw UsageError("quantile " + std::to_string(q) + " is not between 0 and 1");
  }
  return quantile_of_sorted(sorted(values, "quantile"), q);
}

Interval median_ci95(std::span<const double> values) {
  const std::vector<double> order = sorted(values, "median interval");
  const std::size_t k = std::max<std::size_t>(1, median_rank(order.size()));
  return {.lower = order[k - 1], .upper = order[order.size() - k]};
}

RatioInterval paired_ratio(std::span<const double> numerators,
                           std::span<const double> denominators) {
  if (numerators.size() != denominators.size()) {
    throw UsageError("paired ratio of " + std::to_string(numerators.size()) + " and " +
                     std::to_string(denominators.size()) + " samples; take them in pairs");
  }
  const auto zero = std::ranges::find(denominators, 0.0);
  if (zero != denominators.end()) {
    throw UsageError("paired ratio: sample " + std::to_string(zero - denominators.begin()) +
                     " of the denominators is 0");
  }
  const std::size_t count = numerators.size();
  std::vector<double> ratios(std::min(count, kRatioBlocks));
  for (std::size_t block = 0; block < ratios.size(); ++block) {
    const std::size_t begin = block * count / ratios.size();
    const std::size_t length = (block + 1) * count / ratios.size() - begin;
    ratios[block] =
        sum(numerators.subspan(begin, length)) / sum(denominators.subspan(begin, length));
  }
  return {.median = median(ratios), .ci95 = median_ci95(ratios)};
}

RatioInterval bootstrap_ratio(std::span<const double> numerators,
                              std::span<const double> denominators) {
  const double above = median(numerators);
  const double below = median(denominators);
  const auto is_not_positive = [](double value) { return value <= 0.0; };
  if (std::ranges::any_of(numerators, is_not_positive) ||
      std::ranges::any_of(denominators, is_not_positive)) {
    throw UsageError("bootstrap ratio: a sample is 0 or less; no time or cycle count can be");
  }
  Resampler resample_above(numerators);
  Resampler resample_below(denominators);
  SplitMix64 random;
  std::vector<double> ratios(kResamples);
  for (double& ratio : ratios) {
    const double drawn_above = resample_above.draw_median(random);
    ratio = drawn_above / resample_below.draw_median(random);
  }
  std::ranges::sort(ratios);
  return {.median = above / below,
          .ci95 = {quantile_of_sorted(ratios, 0.025), quantile_of_sorted(ratios, 0.975)}};
}

double PairCounts::tau() const {
  const auto ordered = static_cast<double>(concordant + discordant);
  const double in_one = ordered + static_cast<double>(tied_in_other);
  const double in_other = ordered + static_cast<double>(tied_in_one);
  if (in_one == 0.0 || in_other == 0.0) return 0.0;
  return (static_cast<double>(concordant) - static_cast<double>(discordant)) /
         std::sqrt(in_one * in_other);
}

PairCounts& PairCounts::operator+=(const PairCounts& other) {
  concordant += other.concordant;
  discordant += other.discordant;
  tied_in_one += other.tied_in_one;
  tied_in_other += other.tied_in_other;
  return *this;
}

PairCounts count_pairs(std::span<const double> one, std::span<const double> other) {
  if (one.size() != other.size()) throw UsageError("rankings must be of the same things");
  const auto is_nan = [](double value) { return std::isnan(value); };
  if (std::ranges::any_of(one, is_nan) || std::ranges::any_of(other, is_nan)) {
    throw UsageError("a NaN cannot be ranked");
  }
  PairCounts counts;
  for (std::size_t i = 0; i < one.size(); ++i) {
    for (std::size_t j = i + 1; j < one.size(); ++j) {
      const bool is_tied_in_one = one[i] == one[j];
      const bool is_tied_in_other = other[i] == other[j];
      if (is_tied_in_one || is_tied_in_other) {
        counts.tied_in_one += is_tied_in_one && !is_tied_in_other ? 1 : 0;
        counts.tied_in_other += is_tied_in_other && !is_tied_in_one ? 1 : 0;
      } else if ((one[i] < one[j]) == (other[i] < other[j])) {
        ++counts.concordant;
      } else {
        ++counts.discordant;
      }
    }
  }
  return counts;
}

double drift_ratio(std::span<const double> values) {
  const std::size_t third = values.size() / 3;
  if (third == 0) return 0.0;
  return median(values.last(third)) / median(values.first(third)) - 1.0;
}

}  // namespace fa3prof::core
