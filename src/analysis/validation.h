// How far a model is off: the signed errors of many rows, summed up. Not: one row (comparison.h).
#pragma once

#include "src/analysis/comparison.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace fa3prof::analysis {

/// What the errors of some rows come to; an error is simulated / counted cycles - 1.
struct ErrorSummary {
  std::string label;     ///< kernel, or pipeline where one kernel has several; empty: all rows
  std::size_t rows = 0;  ///< at least 1
  double mean_signed_ratio = 0.0;
  double mean_absolute_ratio = 0.0;
  double max_absolute_ratio = 0.0;
  Row worst;  ///< the row with max_absolute_ratio
};

/// A measured row that has no error.
struct OmittedRow {
  Row row;
  std::string reason;
};

/// Largest errors that are accepted; absent: any.
struct ErrorLimits {
  std::optional<double> mean_absolute_ratio = std::nullopt;  ///< of all rows together
  std::optional<double> max_absolute_ratio = std::nullopt;   ///< of each row
};

struct Validation {
  std::vector<ErrorSummary> kernels;    ///< in the order in which they come
  std::optional<ErrorSummary> overall;  ///< absent where no row was compared
  std::vector<OmittedRow> omitted;
  ErrorLimits limits;

  /// False without a limit, and where nothing was compared.
  [[nodiscard]] bool exceeds_mean() const;
  [[nodiscard]] bool exceeds_max() const;
};

/// Sums up every row that was both simulated and measured with counted cycles; cycles that only
/// follow from time and clock do not count, since such a clock is a mean over other launches.
/// Every other measured row is omitted with its reason. The rows point into the results that
/// `comparisons` was made of.
///
/// Errors of -0.02, +0.01 and -0.03 give a mean of -0.0133, a mean absolute error of 0.02 and a
/// largest one of 0.03.
[[nodiscard]] Validation validation_of(const std::vector<ProblemComparison>& comparisons,
                                       const ErrorLimits& limits);

}  // namespace fa3prof::analysis
