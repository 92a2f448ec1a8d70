// Barriers of which every instance of a role has its own.
#pragma once

#include "sim/pipeline.h"

namespace fa3prof::sim {

/// Puts as many barriers in place of one that is `of` a role as that role has instances, and writes
/// out the steps that are for each instance. Instances of the role use their own.
[[nodiscard]] Pipeline with_own_barriers(Pipeline pipeline);

}  // namespace fa3prof::sim
