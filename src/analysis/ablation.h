// What each mechanism of fa3 brings: one schedule over another. Not: how that is printed.
#pragma once

#include "src/analysis/comparison.h"

#include <optional>
#include <string_view>
#include <vector>

namespace fa3prof::analysis {

/// The problem of the FlashAttention-3 paper's ablation (arXiv 2407.08608, table 2): FP16, batch 4,
/// 8448 tokens, 16 heads of 128, no mask.
[[nodiscard]] core::AttentionProblem ablation_problem();

/// TFLOPS that the paper gives for its kernel with that schedule on that problem, on an H100 SXM5,
/// or nothing.
[[nodiscard]] std::optional<double> published_tflops(std::string_view schedule);

/// A mechanism, as the step from one kernel to the next.
struct MechanismGain {
  std::string_view mechanism;  ///< "a producer warp"
  std::string_view from;       ///< kernels
  std::string_view to;
  Speedup speedup;  ///< of `to` over `from`
  std::optional<double> published_ratio;
};

/// Those of the problem whose two kernels are both there, each mechanism alone first, all last.
[[nodiscard]] std::vector<MechanismGain> mechanism_gains(const ProblemComparison& comparison);

}  // namespace fa3prof::analysis
