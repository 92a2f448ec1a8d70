// What `fa3prof doctor` finds where the kernels were built: driver, GPU, counters, clocks,
// neighbours.
#pragma once

#include "src/profile/profiler.h"

#include <vector>

namespace fa3prof::profile {

/// One finding per topic, the ones that others depend on first. Takes a context on the GPU and
/// switches counters on and off once. Never throws for what is missing.
[[nodiscard]] std::vector<Finding> diagnose_gpu(int device);

}  // namespace fa3prof::profile
