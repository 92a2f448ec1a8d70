// Forward attention on e4m3 inputs on Hopper (sm_90a), behind kernels/attention.h: the schedule of
// the 16-bit kernel (kernels/fa3_fp16/kernel.h) with what FP8 needs (arXiv 2407.08608,
// section 3.3).
//
//   O[b, i, h, :] = softmax(scale * Q[b, i, h, :] K[b, :, h', :]^T + mask) V[b, :, h', :]
//
// Q, K and V come from the kernels in kernels/quantize, laid out as shared memory holds them, V
// transposed: FP8 WGMMA reads both operands along K only. Each 128 rows of Q and each block of keys
// of K and V have their own scale. The accumulator of the scores is not the layout in which FP8
// WGMMA takes P; instead of moving probabilities between lanes, V is stored in the order of keys
// that makes it so (kernels/quantize/layout.h).
//
// Shared memory in KiB, Q + the stages of K + those of V (and 1 KiB for the barriers):
// d = 64, tile 192 x 160: 12 + 40 + 40; d = 128, 128 x 192: 16 + 72 + 72; d = 256, 128 x 128: 32 +
// 96 + 96.
#pragma once

#include "kernels/attention.h"
#include "kernels/fa3_fp8/config.h"

namespace fa3prof::kernels::fa3_fp8 {

/// See kernels::describe_launch. head_dim 64, 128 or 256; fp16 or bf16, the type of O.
[[nodiscard]] LaunchDescription describe(const core::AttentionProblem& problem);

/// See kernels::launch_attention; for the same problems. Reads tensors.quantized.
void launch(const core::AttentionProblem& problem, const AttentionTensors& tensors,
            cudaStream_t stream);

}  // namespace fa3prof::kernels::fa3_fp8
