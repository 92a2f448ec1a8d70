// How far kernels with stated numerics are from FP64 on the same inputs: in the scores, in the
// probabilities, and in what comes out.
#pragma once

#include "src/numerics/error_metrics.h"
#include "src/numerics/kernel_numerics.h"

#include <span>
#include <vector>

namespace fa3prof::numerics {

struct Accuracy {
  ErrorMetrics s;  ///< scaled scores of the visible keys
  ErrorMetrics p;  ///< probabilities that V was weighed with
  ErrorMetrics o;  ///< the output, rounded to FP16 as a kernel's is
  /// Share of a row's probability that the cast of P made zero: over all rows, 0..1.
  double mean_lost_mass = 0.0;
  double max_lost_mass = 0.0;
};

/// One for each of `kernels`, over all rows of the inputs. The FP64 reference is of the FP32
/// inputs: their rounding to FP16 or FP8 counts as error. Each row's reference serves all kernels.
/// Uses all hardware threads; the result does not depend on their number. Throws UsageError as
/// prepare.
[[nodiscard]] std::vector<Accuracy> measure_accuracy(const AttentionInputs& inputs,
                                                     std::span<const KernelNumerics> kernels);

}  // namespace fa3prof::numerics
