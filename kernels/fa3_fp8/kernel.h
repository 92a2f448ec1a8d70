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
// With d = 64 and 128 V has eight more channels, of ones: P V brings the row sums along.
//
// WGMMA adds e4m3 products with 13 fraction bits. The quantiser takes the mean from V, so that P V
// does not grow one way; the kernels that flush add each key block's P V to O in float32 instead.
//
// Shared memory in KiB, Q + the stages of K + those of V (and 1 KiB for the barriers):
// d = 64, tile 192 x 128: 12 + 32 + 36; d = 128, 192 x 96: 24 + 48 + 51, flushing, 128 x 128:
// 16 + 64 + 64; d = 256, 128 x 128: 32 + 96 + 96.
#pragma once

#include "kernels/attention.h"
#include "kernels/fa3_fp8/config.h"
#include "kernels/stage_trace.h"

namespace fa3prof::kernels::fa3_fp8 {

/// See kernels::describe_launch. fp16 or bf16, the type of O; head_dim 64, 128 or 256. Flushing:
/// fp16 and head_dim 128.
template <bool kFlushes>
[[nodiscard]] LaunchDescription describe(const core::AttentionProblem& problem);

/// See kernels::launch_attention; for the same problems. Reads tensors.quantized.
template <bool kFlushes>
void launch(const core::AttentionProblem& problem, const AttentionTensors& tensors,
            cudaStream_t stream);

/// Of the kernel that does not flush.
[[nodiscard]] bool has_stage_trace(const core::AttentionProblem& problem);

void launch_traced(const core::AttentionProblem& problem, const AttentionTensors& tensors,
                   const TraceRings& rings, cudaStream_t stream);

}  // namespace fa3prof::kernels::fa3_fp8
