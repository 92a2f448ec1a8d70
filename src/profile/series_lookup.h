// Points of measured series by name and setting, and lines through them.
#pragma once

#include "src/profile/calibration.h"

#include <optional>
#include <string_view>
#include <vector>

namespace fa3prof::profile {

/// `all` must outlive it.
class SeriesLookup {
 public:
  explicit SeriesLookup(const std::vector<Series>& all) : all_(all) {}

  /// Null when there is none of this name.
  [[nodiscard]] const Series* find(std::string_view name) const;

  /// The point at exactly `x`, or nothing. A single value is at 0.
  [[nodiscard]] std::optional<MeasuredPoint> at(std::string_view name, double x = 0.0) const;

 private:
  const std::vector<Series>& all_;
};

/// Half of the middle 80 % of the samples, over the median; 0 for a median of 0.
[[nodiscard]] double spread_of(const MeasuredPoint& point);

struct Line {
  double intercept = 0.0;
  double slope = 0.0;
};

/// Least squares. Throws UsageError for fewer than two points or equal x.
[[nodiscard]] Line fit_line(const std::vector<double>& x, const std::vector<double>& y);

/// Where a series that has come to `from` first falls below `value`, between its points linearly;
/// nothing if it never does.
[[nodiscard]] std::optional<double> first_below(const Series& series, double value, double from);

}  // namespace fa3prof::profile
