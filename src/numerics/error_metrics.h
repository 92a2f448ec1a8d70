// How far a computed tensor is from its reference.
#pragma once

#include <cstdint>
#include <span>

namespace fa3prof::numerics {

/// Errors over all elements; all three are +infinity as soon as non_finite > 0, so a NaN can never
/// pass a test of the form `error < tolerance`.
struct ErrorMetrics {
  double relative_error = 0.0;  ///< ||actual - reference|| / ||reference||, Frobenius norms
  double max_abs_error = 0.0;
  double rmse = 0.0;            ///< root of the mean squared difference
  std::int64_t non_finite = 0;  ///< elements with a NaN or an unmatched infinity on either side
  std::int64_t elements = 0;
};

/// The same infinity on both sides (LSE of a row that sees no key) counts as equal and adds nothing
/// to either norm. With an all-zero reference relative_error is 0 for an all-zero `actual`, else
/// +infinity. Throws UsageError for empty input or different lengths: comparing nothing proves
/// nothing.
[[nodiscard]] ErrorMetrics compare(std::span<const double> reference,
                                   std::span<const double> actual);

}  // namespace fa3prof::numerics
