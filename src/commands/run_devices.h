// `run --device all`: every GPU of the host.
//
// One after the other, problem by problem: GPUs that run at the same time share air, the power
// supply and the host's memory bus, so that a neighbour's load would look like a GPU's own fault.
// Problem by problem, because all then meet the same state of the room, and rest meanwhile.
#pragma once

#include "src/core/report.h"
#include "src/profile/profiler.h"

#include <vector>

namespace fa3prof::commands {

struct RunOptions;

/// The GPUs in CUDA's order. `environment` is that of the first; where there are several its GPU
/// has no uuid, because the report is of all. Throws UnavailableError without any, and UsageError
/// where they are of different kinds, since none of them would be the slow one then.
[[nodiscard]] std::vector<core::Device> all_devices(profile::Profiler& profiler,
                                                    core::Environment& environment);

/// Throws UsageError where the options ask for a view that shows one GPU.
void refuse_one_gpu_views(const RunOptions& options);

}  // namespace fa3prof::commands
