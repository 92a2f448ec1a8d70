// Where the cycles of a traced launch went, in the simulator's categories.
#pragma once

#include "src/core/result.h"
#include "src/core/stage_trace.h"

#include <string>
#include <vector>

namespace fa3prof::analysis {

/// Shares of the launch's time by category, in the order of sim::kCategoryNames; they sum to 1.
/// Empty where nothing was traced.
///
/// While a WGMMA is under way: `tensor_busy` for the cycles that the tensor core needs for it, the
/// rest `softmax_exposed` where a warpgroup does softmax meanwhile, else `barrier`. While none is:
/// what the warpgroups do, the heaviest counting, in the order `softmax_exposed`, `ramp` (the
/// beginnings and ends of tiles), `load_exposed`, `barrier`. These are means over the traced CTAs;
/// `tail` (from a CTA's end to the last one's) and the launch and late starts in `ramp` over all.
[[nodiscard]] std::vector<core::BreakdownPart> measured_shares(const core::StageTrace& trace);

/// The same as cycles of a result that has taken `cycles`.
[[nodiscard]] std::vector<core::BreakdownPart> measured_breakdown(const core::StageTrace& trace,
                                                                  double cycles);

/// One category's share of the cycles, measured beside simulated.
struct ShareComparison {
  std::string category;
  double measured_ratio = 0.0;
  double simulated_ratio = 0.0;

  /// Simulated minus measured.
  [[nodiscard]] double difference_ratio() const { return simulated_ratio - measured_ratio; }
};

/// By the categories of the measured result; empty unless both results have a breakdown.
[[nodiscard]] std::vector<ShareComparison> compare_shares(const core::Result& measured,
                                                          const core::Result& simulated);

}  // namespace fa3prof::analysis
