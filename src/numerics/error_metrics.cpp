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

void ErrorSums::add(double reference, double actual) {
  ++elements_;
  if (std::isfinite(reference) && std::isfinite(actual)) {
    const double error = actual - reference;
    squared_error_ += error * error;
    squared_reference_ += reference * reference;
    squared_actual_ += actual * actual;
    product_ += reference * actual;
    max_abs_error_ = std::max(max_abs_error_, std::abs(error));
  } else if (reference != actual) {
    ++non_finite_;
  }
}

void ErrorSums::add(const ErrorSums& other) {
  squared_error_ += other.squared_error_;
  squared_reference_ += other.squared_reference_;
  squared_actual_ += other.squared_actual_;
  product_ += other.product_;
  max_abs_error_ = std::max(max_abs_error_, other.max_abs_error_);
  non_finite_ += other.non_finite_;
  elements_ += other.elements_;
}

ErrorMetrics ErrorSums::metrics() const {
  ErrorMetrics metrics{
      .max_abs_error = max_abs_error_, .non_finite = non_finite_, .elements = elements_};
  if (non_finite_ > 0) {
    metrics.relative_error = metrics.max_abs_error = metrics.rmse = kInfinity;
    metrics.cosine = -kInfinity;
    return metrics;
  }
  if (elements_ > 0) metrics.rmse = std::sqrt(squared_error_ / static_cast<double>(elements_));
  // 0 / 0, nothing wrong about nothing, is 0; error without a reference norm divides to infinity.
  if (squared_error_ == 0.0) return metrics;
  metrics.relative_error = std::sqrt(squared_error_) / std::sqrt(squared_reference_);
  const double norms = std::sqrt(squared_reference_) * std::sqrt(squared_actual_);
  metrics.cosine = norms > 0.0 ? product_ / norms : 0.0;
  return metrics;
}

ErrorMetrics compare(std::span<const double> reference, std::span<const double> actual) {
  if (reference.size() != actual.size() || reference.empty()) {
    throw core::UsageError("cannot compare " + std::to_string(actual.size()) + " values with " +
                           std::to_string(reference.size()) +
                           " reference values; give both the same length, at least 1");
  }
  ErrorSums sums;
  for (std::size_t i = 0; i < reference.size(); ++i) sums.add(reference[i], actual[i]);
  return sums.metrics();
}

}  // namespace fa3prof::numerics
