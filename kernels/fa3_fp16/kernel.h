// Forward attention in the manner of FlashAttention-3 (arXiv 2407.08608, section 3.1-3.2), for
// 16-bit inputs on Hopper (sm_90a), behind kernels/attention.h.
//
//   O[b, i, h, :] = softmax(scale * Q[b, i, h, :] K[b, :, h', :]^T + mask) V[b, :, h', :]
//   Q, O: [batch, seqlen_q, heads, d]; K, V: [batch, seqlen_kv, heads_kv, d]; h' = h / group.
//
// A persistent CTA works through tiles of query rows of one head, visiting key blocks from the last
// to the first so that only the first ones visited need masks. One producer thread brings Q, K and
// V by TMA; two or three consumer warpgroups own 64 rows each and run both GEMMs by WGMMA. Two
// overlaps hide the softmax: inside a warpgroup the softmax of block j runs while P V of the block
// before does (algorithm 2 of the paper), and the warpgroups take turns at issuing GEMMs
// (ping-pong), so that one's softmax runs under the others' GEMMs. O goes from registers to global
// memory.
//
// Shared memory in KiB, Q + two K + two V (and 1 KiB for the barriers):
// d = 64, tile 192 x 128: 24 + 32 + 32; d = 128, 128 x 128: 32 + 64 + 64; d = 256, 128 x 80: 64 +
// 80 + 80.
#pragma once

#include "kernels/attention.h"

namespace fa3prof::kernels::fa3_fp16 {

/// See kernels::describe_launch. head_dim 64, 128 or 256; fp16 or bf16.
[[nodiscard]] LaunchDescription describe(const core::AttentionProblem& problem);

/// See kernels::launch_attention. head_dim 64, 128 or 256; fp16 or bf16.
void launch(const core::AttentionProblem& problem, const AttentionTensors& tensors,
            cudaStream_t stream);

}  // namespace fa3prof::kernels::fa3_fp16
