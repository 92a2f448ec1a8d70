#include "src/profile/series_lookup.h"

#include "src/core/error.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace fa3prof::profile {

const Series* SeriesLookup::find(std::string_view name) const {
  const auto found = std::ranges::find(all_, name, &Series::name);
  return found == all_.end() || found->points.empty() ? nullptr : &*found;
}

std::optional<MeasuredPoint> SeriesLookup::at(std::string_view name, double x) const {
  const Series* series = find(name);
  if (series == nullptr) return std::nullopt;
  const auto found = std::ranges::find(series->points, x, &MeasuredPoint::x);
  if (found == series->points.end()) return std::nullopt;
  return *found;
}

double spread_of(const MeasuredPoint& point) {
  if (point.value == 0.0) return 0.0;
  return (point.high - point.low) / (2.0 * std::abs(point.value));
}

Line fit_line(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.size() != y.size() || x.size() < 2) {
    throw core::UsageError("a line needs at least two points");
  }
  const auto count = static_cast<double>(x.size());
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / count;
  const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / count;
  double covariance = 0.0;
  double variance = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    covariance += (x[i] - mean_x) * (y[i] - mean_y);
    variance += (x[i] - mean_x) * (x[i] - mean_x);
  }
  if (variance == 0.0) throw core::UsageError("a line needs points at different places");
  const double slope = covariance / variance;
  return {.intercept = mean_y - slope * mean_x, .slope = slope};
}

std::optional<double> first_below(const Series& series, double value, double from) {
  for (std::size_t i = 1; i < series.points.size(); ++i) {
    const MeasuredPoint& before = series.points[i - 1];
    const MeasuredPoint& after = series.points[i];
    if (after.x <= from || after.value >= value) continue;
    if (before.value <= value) return before.x;
    return before.x + (after.x - before.x) * (before.value - value) / (before.value - after.value);
  }
  return std::nullopt;
}

}  // namespace fa3prof::profile
