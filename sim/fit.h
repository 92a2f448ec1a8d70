// Does a pipeline's CTA fit an SM of the machine.
#pragma once

#include "sim/machine.h"
#include "sim/pipeline.h"

namespace fa3prof::sim {

/// Throws UsageError when shared memory, registers or threads exceed what the machine states, with
/// the sum that exceeds it. A limit that the machine does not state is not checked.
void check_fit(const Machine& machine, const Pipeline& pipeline, const SizeScope& scope);

}  // namespace fa3prof::sim
