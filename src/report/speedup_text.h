// A speedup as text. Not: the table around it.
#pragma once

#include "src/analysis/comparison.h"

#include <string>

namespace fa3prof::report {

/// "2.03x +-0.4 %": half the width of the interval over the ratio; empty without a measured time.
[[nodiscard]] std::string time_ratio_text(const analysis::Speedup& speedup);

}  // namespace fa3prof::report
