// The lines under the table of `run`: how its numbers came about.
#pragma once

#include "src/core/report.h"
#include "src/report/table.h"

#include <string>

namespace fa3prof::report {

/// Lines "topic  text": verification, timing, clocks, counters (or why there are none, and the
/// cure), peak and model. Several problems are summed up per kernel: worst errors, clock ranges.
[[nodiscard]] std::string notes_text(const core::Report& report, Colour colour);

}  // namespace fa3prof::report
