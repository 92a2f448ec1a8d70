// A small report with every kind of field in it: FA2 and FA3 measured and simulated on an H200. The
// numbers are invented.
#pragma once

#include "src/core/report.h"

namespace fa3prof::tests {

/// fp16, batch 2, 16 heads, 8192 tokens, head_dim 128.
[[nodiscard]] core::AttentionProblem example_problem();

/// A verified, timed and counted launch of `kernel` that takes `time_us`.
[[nodiscard]] core::Result measured_result(const std::string& kernel, double time_us);

/// The closed form's result for `kernel`.
[[nodiscard]] core::Result simulated_result(const std::string& kernel, double cycles);

/// The environment of an H200 machine.
[[nodiscard]] core::Environment example_environment();

/// fa2 and fa3, measured and simulated.
[[nodiscard]] core::Report example_report();

/// The same, and cudnn, which has no simulation.
[[nodiscard]] core::Report compared_report();

}  // namespace fa3prof::tests
