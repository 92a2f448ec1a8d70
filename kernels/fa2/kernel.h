// Forward attention in the manner of FlashAttention-2 (arXiv 2307.08691, section 3), for 16-bit
// inputs, behind kernels/attention.h.
//
//   O[b, i, h, :] = softmax(scale * Q[b, i, h, :] K[b, :, h', :]^T + mask) V[b, :, h', :]
//   Q, O: [batch, seqlen_q, heads, d]; K, V: [batch, seqlen_kv, heads_kv, d]; h' = h / group.
//
// A CTA owns tile_m query rows of one head and visits the key blocks that they see, from the last
// to the first, so that only the first ones visited need masks. Every warp owns one or two slabs of
// 16 rows and works alone on them: all keys of a block, all columns of O. One serial loop per key
// block:
//   wait for K, barrier | start V | S = Q K^T, mask, row maximum | wait for V, barrier |
//   start the next K | P = exp(S - maximum), O += P V
// V arrives under the first GEMM, the next K under the second. With two buffers of each (d = 64):
//   wait for K and V, barrier | start the next K and V | S, maximum, P, O as above
// The exponentials of 16 keys stand between the mma of the 16 keys before; whatever this does not
// hide is left to the other CTA or the other warps on the SM. All slabs of a warp use each fragment
// of K and V that it loads.
//
// Shared memory in KiB, Q + the stages of K + those of V: d = 64, tile 128 x 128: 16 + 32 + 32;
// d = 128, 128 x 64: 32 + 16 + 16; d = 256, 128 x 64: 64 + 32 + 32. Each tile is [d / 64][rows][64]
// elements, the 16-byte chunk c of a row stored at c ^ (row & 7): rows of 128 bytes and yet no bank
// conflicts, neither for cp.async nor for ldmatrix.
#pragma once

#include "kernels/attention.h"
#include "src/core/attention_problem.h"

#include <cuda_runtime_api.h>

namespace fa3prof::kernels::fa2 {

/// Launch parameters for `problem` on the current device. Throws DeviceError if a CUDA call fails,
/// UsageError if the grid would exceed 2^31 - 1 CTAs.
[[nodiscard]] LaunchDescription describe(const core::AttentionProblem& problem);

/// Enqueues the kernel on `stream`. float16 or bfloat16, head_dim 64, 128 or 256, compute
/// capability 8.0 or newer; tensors.softmax_scale must be positive. Does not use tensors.workspace.
/// Throws like describe().
void launch(const core::AttentionProblem& problem, const AttentionTensors& tensors,
            cudaStream_t stream);

}  // namespace fa3prof::kernels::fa2
