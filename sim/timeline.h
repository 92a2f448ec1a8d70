// The timeline of one SM of a simulated kernel: every step of every role, the units, the loads.
#pragma once

#include "sim/machine.h"
#include "sim/pipeline.h"
#include "src/core/attention_problem.h"
#include "src/core/timeline.h"

#include <cstdint>

namespace fa3prof::sim {

struct TimelineRequest {
  const Machine& machine;
  const Pipeline& pipeline;
  const core::AttentionProblem& problem;
  /// The first so many of each CTA of the SM: those between the first and the last are alike.
  std::int64_t tiles = 3;
};

/// Runs the tiles of the first SM event by event, as the event engine does, which therefore must
/// know the pipeline. Tiles go to CTAs by their numbers of key blocks. Throws UsageError as
/// simulate() does.
[[nodiscard]] core::Process simulate_timeline(const TimelineRequest& request);

}  // namespace fa3prof::sim
