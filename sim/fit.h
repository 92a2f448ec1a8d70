// Does a pipeline's CTA fit an SM of the machine.
#pragma once

#include "sim/machine.h"
#include "sim/pipeline.h"

namespace fa3prof::sim {

/// Throws UsageError when shared memory (buffers and mbarriers), registers or threads exceed what
/// the machine states, when a load has more bytes than an mbarrier counts, and when the rows of a
/// role's instances do not make the tile; with the sum and by how much. A limit that the machine
/// does not state is not checked.
void check_fit(const Machine& machine, const Pipeline& pipeline, const SizeScope& scope);

}  // namespace fa3prof::sim
