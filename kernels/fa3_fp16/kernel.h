// The FA3-style FP16 forward kernel for Hopper (sm_90a), behind kernels/attention.h.
#pragma once

#include "kernels/attention.h"

namespace fa3prof::kernels::fa3_fp16 {

/// See kernels::describe_launch. head_dim 128, fp16.
[[nodiscard]] LaunchDescription describe(const core::AttentionProblem& problem);

/// See kernels::launch_attention. head_dim 128, fp16.
void launch(const core::AttentionProblem& problem, const AttentionTensors& tensors,
            cudaStream_t stream);

}  // namespace fa3prof::kernels::fa3_fp16
