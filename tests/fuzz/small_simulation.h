// A simulation that ends in milliseconds, for machines and pipelines that nobody has thought of.
#pragma once

#include "sim/machine.h"
#include "sim/pipeline.h"

namespace fa3prof::fuzz {

/// Both engines on a small problem, causal and not. A refusal by one does not keep the other from
/// its turn.
void simulate_small(const sim::Machine& machine, const sim::Pipeline& pipeline);

}  // namespace fa3prof::fuzz
