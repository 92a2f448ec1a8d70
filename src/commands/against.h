// The model set against a report: every kernel that was measured, by its own pipeline.
#pragma once

#include "sim/scenario.h"
#include "src/commands/measured_report.h"
#include "src/core/progress.h"
#include "src/core/result.h"

#include <vector>

namespace fa3prof::commands {

/// Simulates the scenario's problems or, where it states none, those that were measured; each by
/// the scenario's pipelines or, where it states none, by those of our kernels that were measured on
/// it (of all kernels on a problem on which none was). The scenario must state a machine. A
/// pipeline that cannot run a problem gives a result with `unsupported_reason`, no error.
/// `progress` is told of each problem before it is simulated.
[[nodiscard]] std::vector<core::Result> simulate_against(const sim::Scenario& scenario,
                                                         const MeasuredReport& measured,
                                                         const core::PieceProgress& progress);

}  // namespace fa3prof::commands
