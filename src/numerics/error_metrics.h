// How far a computed tensor is from its reference.
#pragma once

#include <cstdint>
#include <span>

namespace fa3prof::numerics {

/// Errors over all elements; all are +infinity, and the cosine -infinity, as soon as non_finite >
/// 0, so a NaN can never pass a test of the form `error < tolerance`.
struct ErrorMetrics {
  double relative_error = 0.0;  ///< ||actual - reference|| / ||reference||, Frobenius norms
  double max_abs_error = 0.0;
  double rmse = 0.0;            ///< root of the mean squared difference
  double cosine = 1.0;          ///< of the angle between both; 1 where both are all zero
  std::int64_t non_finite = 0;  ///< elements with a NaN or an unmatched infinity on either side
  std::int64_t elements = 0;
};

/// The sums behind ErrorMetrics, for tensors that never are in memory as a whole.
class ErrorSums {
 public:
  /// One more element. The same infinity on both sides (LSE of a row that sees no key) counts as
  /// equal and adds nothing to any sum.
  void add(double reference, double actual);

  /// What the other one has seen.
  void add(const ErrorSums& other);

  /// With an all-zero reference relative_error is 0 for an all-zero `actual`, else +infinity.
  [[nodiscard]] ErrorMetrics metrics() const;

 private:
  double squared_error_ = 0.0;
  double squared_reference_ = 0.0;
  double squared_actual_ = 0.0;
  double product_ = 0.0;
  double max_abs_error_ = 0.0;
  std::int64_t non_finite_ = 0;
  std::int64_t elements_ = 0;
};

/// ErrorSums over two tensors. Throws UsageError for empty input or different lengths: comparing
/// nothing proves nothing.
[[nodiscard]] ErrorMetrics compare(std::span<const double> reference,
                                   std::span<const double> actual);

}  // namespace fa3prof::numerics
