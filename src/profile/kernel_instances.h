// What the kernels may use of an SM, for layers that do not see kernels/.
#pragma once

#include "kernels/instances.h"

namespace fa3prof::profile {

using kernels::kernel_instances;
using kernels::KernelInstance;

}  // namespace fa3prof::profile
