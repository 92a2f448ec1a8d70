// The FA1-style forward kernel: key blocks outside, query rows inside, one CTA per head.
#pragma once

#include "kernels/attention.h"
#include "kernels/fa1/config.h"
#include "src/core/attention_problem.h"

#include <cuda_runtime_api.h>

namespace fa3prof::kernels::fa1 {

/// Launch parameters for `problem` on the current device. Throws DeviceError if a CUDA call fails,
/// UsageError if the grid would exceed 2^31 - 1 CTAs.
[[nodiscard]] LaunchDescription describe(const core::AttentionProblem& problem);

/// Enqueues the kernel on `stream`. float16, head_dim 64 or 128, compute capability 8.0 or newer;
/// tensors.softmax_scale must be positive. Keeps O, maxima and sums in tensors.workspace behind its
/// first kCounterBytes. Throws like describe().
void launch(const core::AttentionProblem& problem, const AttentionTensors& tensors,
            cudaStream_t stream);

}  // namespace fa3prof::kernels::fa1
