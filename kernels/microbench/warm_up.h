// An idle GPU's clock is low and takes a while to rise; latencies of memory, whose clock is
// another, count differently in cycles then.
#pragma once

#include "kernels/microbench/session.h"

namespace fa3prof::kernels::microbench {

/// Keeps all SMs busy for 150 ms.
void warm_up(const Session& session);

}  // namespace fa3prof::kernels::microbench
