// The timelines of what `simulate` has simulated.
#pragma once

#include "sim/scenario.h"
#include "src/core/result.h"
#include "src/core/timeline.h"

#include <vector>

namespace fa3prof::commands {

/// One for each result that the event engine has computed, in their order; the results get excerpts
/// of them. The results are those of the scenarios. Throws UsageError where there is none.
[[nodiscard]] core::Timeline simulated_timelines(const std::vector<sim::Scenario>& scenarios,
                                                 std::vector<core::Result>& results);

}  // namespace fa3prof::commands
