// The timelines of traced CTAs.
#pragma once

#include "src/core/stage_trace.h"
#include "src/core/timeline.h"

#include <string>
#include <vector>

namespace fa3prof::analysis {

/// A process for each traced CTA: a track for each role, its WGMMAs and the TMA loads as spans that
/// overlap, and an arrow from each load to its first use. A load ends where the first warpgroup
/// sees its data, which may have been there before.
[[nodiscard]] std::vector<core::Process> timelines_of(const core::StageTrace& trace,
                                                      const std::string& kernel);

}  // namespace fa3prof::analysis
