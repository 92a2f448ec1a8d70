#include "src/numerics/error_metrics.h"

#include "src/core/error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace fa3prof::numerics {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

ErrorMetrics compare(std::span<const double> reference, std::span<const double> actual) {
  if (reference.size() != actual.size() || reference.empty()) {
    throw core::UsageError("cannot compare " + std::to_string(actual.size()) + " values with " +
                           std::to_string(reference.size()) +
                           " reference values; give both the same length, at least 1");
  }
  ErrorMetrics metrics{.elements = static_cast<std::int64_t>(reference.size())};
  double squared_error = 0.0;
  double squared_reference = 0.0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    if (std::isfinite(reference[i]) && std::isfinite(actual[i])) {
      const double error = actual[i] - reference[i];
      squared_error += error * error;
      squared_reference += reference[i] * reference[i];
      metrics.max_abs_error = std::max(metrics.max_abs_error, std::abs(error));
    } else if (reference[i] != actual[i]) {
      ++metrics.non_finite;
    }
  }
  if (metrics.non_finite > 0) {
    metrics.relative_error = metrics.max_abs_error = metrics.rmse = kInfinity;
    return metrics;
  }
  metrics.rmse = std::sqrt(squared_error / static_cast<double>(reference.size()));
  // 0 / 0, nothing wrong about nothing, is 0; error without a reference norm divides to infinity.
  metrics.relative_error =
      squared_error == 0.0 ? 0.0 : std::sqrt(squared_error) / std::sqrt(squared_reference);
  return metrics;
}

}  // namespace fa3prof::numerics
