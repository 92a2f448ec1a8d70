// A timeline drawn with letters, for a terminal: roles and units are rows, time goes to the right.
#pragma once

#include "src/core/timeline.h"
#include "src/report/table.h"

#include <cstddef>
#include <string>

namespace fa3prof::report {

/// What part of a timeline is drawn.
struct TimelineWindow {
  double begin_cycles = 0.0;
  double end_cycles = 0.0;
  std::size_t width = 120;  ///< characters of a line
};

/// A few key blocks in the steady state, from the fifth on: from one beginning of the commonest
/// span of a role, waits aside, to its fourth after that. All of a timeline that is shorter.
[[nodiscard]] TimelineWindow steady_window(const core::Process& process);

/// A line for each track that has a span in the window. Each column shows what takes most of it, as
/// a letter that the last lines explain; waits are dots.
///
///   fa3 simulated: first SM of h200_sxm, 3 tiles, a column is 48 cycles
///                 |4,000              |4,960
///   consumer 1    .AAAAAAAABBBB........
[[nodiscard]] std::string timeline_text(const core::Process& process, const TimelineWindow& window,
                                        Colour colour);

}  // namespace fa3prof::report
