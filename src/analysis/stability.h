// What the samples of a row say against it: a clock that drifted, hopped or was held back.
#pragma once

#include "src/core/result.h"

#include <string>
#include <vector>

namespace fa3prof::analysis {

/// A text for each thing that makes the times of a measured row less than a steady state of this
/// GPU, with what to do about it; nothing for other rows.
///
/// The power cap and a clock that its owner has set are no such thing: under them a sustained load
/// is as it will be in a long job. In a burst the power cap is one.
[[nodiscard]] std::vector<std::string> instabilities(const core::Result& result);

/// What to do where the driver says that the clock is held back for `reason` (words of
/// profile::throttle_reasons).
[[nodiscard]] std::string throttling_cure(const std::string& reason);

}  // namespace fa3prof::analysis
