#include "src/core/change_points.h"

#include "src/core/error.h"
#include "src/core/split_mix.h"
#include "src/core/statistics.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace fa3prof::core {
namespace {

constexpr double kSignificance = 0.05;
constexpr double kFarOff = 5.0;  // median absolute deviations from the median of a stretch
constexpr double kWork = 2e7;    // distances that the permutations of one stretch may take
constexpr double kFewestPermutations = 199;
constexpr double kMostPermutations = 999;
constexpr double kRounding = 1e-9;  // the same cut by another order of sums

struct Cut {
  std::size_t at = 0;  ///< values left of it
  double weight = 0.0;
};

/// Sums of distances between stretches of a series, each from four numbers of a table.
class Distances {
 public:
  explicit Distances(std::span<const double> values)
      : width_(values.size() + 1), table_(width_ * width_) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      double row = 0.0;
      for (std::size_t j = 0; j < values.size(); ++j) {
        row += std::abs(values[i] - values[j]);
        table_[(i + 1) * width_ + j + 1] = upto(i, j + 1) + row;
      }
    }
  }

  /// Weighted energy distance of the values before `at` and those from there to `end`.
  [[nodiscard]] double weight(std::size_t at, std::size_t end) const {
    const auto n = static_cast<double>(at);
    const auto m = static_cast<double>(end - at);
    const double left = upto(at, at);  // each distance twice, as in `right`
    const double across = upto(at, end) - left;
    const double right = upto(end, end) - 2.0 * upto(at, end) + left;
    const double energy = 2.0 * across / (n * m) - left / (n * (n - 1.0)) - right / (m * (m - 1.0));
    return n * m / (n + m) * energy;
  }

 private:
  /// Of the first `i` values to the first `j`.
  [[nodiscard]] double upto(std::size_t i, std::size_t j) const { return table_[i * width_ + j]; }

  std::size_t width_;
  std::vector<double> table_;
};

/// The best cut. The right side may end before the series does, lest a later change hide it.
Cut best_cut(std::span<const double> values) {
  const Distances distances(values);
  Cut best;
  for (std::size_t at = kShortestLevel; at + kShortestLevel <= values.size(); ++at) {
    for (std::size_t end = at + kShortestLevel; end <= values.size(); ++end) {
      const double weight = distances.weight(at, end);
      if (best.at == 0 || weight > best.weight) best = {.at = at, .weight = weight};
    }
  }
  return best;
}

bool is_significant(const Cut& cut, std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  const double permutations =
      std::floor(std::clamp(kWork / (count * count), kFewestPermutations, kMostPermutations));
  std::vector<double> shuffled(values.begin(), values.end());
  SplitMix64 random;
  double as_large = 1.0;  // the series itself is one of them
  for (double n = 0.0; n < permutations; ++n) {
    for (std::size_t i = shuffled.size() - 1; i > 0; --i) {
      std::swap(shuffled[i], shuffled[random.below(i + 1)]);
    }
    if (best_cut(shuffled).weight >= cut.weight * (1.0 - kRounding)) ++as_large;
  }
  return as_large / (permutations + 1.0) <= kSignificance;
}

/// The values with those that lie far off drawn in, lest one of them outweigh all others. The same
/// for every order of the values, so that their permutations stay a fair measure.
std::vector<double> drawn_in(std::span<const double> values) {
  const double middle = median(values);
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - middle));
  const double reach = kFarOff * median(distances);
  std::vector<double> near(values.begin(), values.end());
  if (reach == 0.0) return near;
  for (double& value : near) value = std::clamp(value, middle - reach, middle + reach);
  return near;
}

std::optional<std::size_t> find_change(std::span<const double> stretch) {
  if (stretch.size() < 2 * kShortestLevel) return std::nullopt;
  const std::vector<double> values = drawn_in(stretch);
  const Cut cut = best_cut(values);
  if (cut.weight <= 0.0 || !is_significant(cut, values)) return std::nullopt;
  return cut.at;
}

void divide(std::span<const double> values, std::size_t offset, std::vector<std::size_t>& changes) {
  const auto change = find_change(values);
  if (!change) return;
  divide(values.first(*change), offset, changes);
  changes.push_back(offset + *change);
  divide(values.subspan(*change), offset + *change, changes);
}

}  // namespace

std::vector<std::size_t> change_points(std::span<const double> values) {
  if (std::ranges::any_of(values, [](double value) { return std::isnan(value); })) {
    throw UsageError("changes of a series that contains a NaN; remove the cause");
  }
  std::vector<std::size_t> changes;
  divide(values, 0, changes);
  return changes;
}

}  // namespace fa3prof::core
