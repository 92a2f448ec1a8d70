// The clock under a kernel's load: which of a machine's clocks turns its cycles into time. The
// power limit decides it on real boards, and what multiplies decides the power: WGMMA draws the
// clock further down than mma.sync, which leaves a third of the tensor cores' rate unused.
#pragma once

#include "sim/machine.h"
#include "sim/pipeline.h"

#include <string>

namespace fa3prof::sim {

/// The machine as this pipeline finds it: clock_load_mhz is clock_mma_sync_load_mhz where all its
/// products are by mma.sync and the machine states that clock.
[[nodiscard]] Machine under_load_of(const Pipeline& pipeline, Machine machine);

/// "clock_load_mhz of machine h200_sxm": the number that under_load_of() gives the machine.
[[nodiscard]] std::string clock_basis(const Pipeline& pipeline, const Machine& machine);

}  // namespace fa3prof::sim
