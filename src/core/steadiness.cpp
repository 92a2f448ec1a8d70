#include "src/core/steadiness.h"

#include "src/core/error.h"
#include "src/core/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace fa3prof::core {
namespace {

constexpr std::size_t kBlocks = 18;
constexpr std::size_t kThird = kBlocks / 3;
constexpr std::size_t kFewestForLevels = 20;
constexpr double kExplainedRatio = 0.9;
constexpr double kFewestRatio = 0.1;

void refuse_nan(std::span<const double> values) {
  if (std::ranges::none_of(values, [](double value) { return std::isnan(value); })) return;
  throw UsageError("steadiness of samples that contain a NaN; remove the cause");
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<double> block_means(std::span<const double> values) {
  std::vector<double> means(kBlocks);
  for (std::size_t block = 0; block < kBlocks; ++block) {
    const std::size_t begin = block * values.size() / kBlocks;
    const std::size_t end = (block + 1) * values.size() / kBlocks;
    means[block] = mean(values.subspan(begin, end - begin));
  }
  return means;
}

/// Whether all of the first lie below all of the second.
bool is_below(std::span<const double> first, std::span<const double> second) {
  return std::ranges::max(first) < std::ranges::min(second);
}

}  // namespace

std::optional<double> significant_drift(std::span<const double> values, double least_ratio) {
  refuse_nan(values);
  if (values.size() < kBlocks) return std::nullopt;
  const double drift = drift_ratio(values);
  if (std::abs(drift) < least_ratio) return std::nullopt;
  const std::vector<double> means = block_means(values);
  const std::span<const double> first = std::span(means).first(kThird);
  const std::span<const double> last = std::span(means).last(kThird);
  if (!is_below(first, last) && !is_below(last, first)) return std::nullopt;
  return drift;
}

std::optional<TwoLevels> two_levels(std::span<const double> values, double least_ratio) {
  refuse_nan(values);
  if (values.size() < kFewestForLevels) return std::nullopt;
  std::vector<double> order(values.begin(), values.end());
  std::ranges::sort(order);
  const auto count = static_cast<double>(order.size());
  const double centre = mean(order);
  double total = 0.0;  // sum of squares about the centre
  for (const double value : order) total += (value - centre) * (value - centre);
  TwoLevels best;
  double best_between = 0.0;
  double below = 0.0;  // sum of the lower side, about the centre
  for (std::size_t cut = 1; cut < order.size(); ++cut) {
    below += order[cut - 1] - centre;
    const auto lower = static_cast<double>(cut);
    const double between = below * below / lower + below * below / (count - lower);
    if (between <= best_between) continue;
    best_between = between;
    best = {.low = centre + below / lower,
            .high = centre - below / (count - lower),
            .high_share_ratio = (count - lower) / count};
  }
  const double smaller = std::min(best.high_share_ratio, 1.0 - best.high_share_ratio);
  const bool is_parted = best_between >= kExplainedRatio * total && smaller >= kFewestRatio;
  if (!is_parted || best.high - best.low < least_ratio * best.low) return std::nullopt;
  return best;
}

}  // namespace fa3prof::core
