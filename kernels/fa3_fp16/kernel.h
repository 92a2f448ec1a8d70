// Forward attention in the manner of FlashAttention-3 (arXiv 2407.08608, section 3.1-3.2), for
// 16-bit inputs on Hopper (sm_90a), behind kernels/attention.h.
//
//   O[b, i, h, :] = softmax(scale * Q[b, i, h, :] K[b, :, h', :]^T + mask) V[b, :, h', :]
//   Q, O: [batch, seqlen_q, heads, d]; K, V: [batch, seqlen_kv, heads_kv, d]; h' = h / group.
//
// A persistent CTA works through tiles of query rows of one head, visiting key blocks from the last
// to the first so that only the first ones visited need masks. One producer thread brings Q, K and
// V by TMA; two or three consumer warpgroups own 64 rows each and run both GEMMs by WGMMA. Three
// overlaps hide what is not a GEMM: a warpgroup issues the scores of block j before P V of the
// block before (algorithm 2 of the paper), the warpgroups take turns at issuing GEMMs (ping-pong),
// so that one's softmax runs under the others' GEMMs, and the last P V of a tile is issued together
// with the first scores of the next, so that tiles follow without a gap. O goes from registers to
// global memory.
//
// The softmax of d = 64 and 128 keeps a reference in place of the running maximum
// (kernels/tile/online_softmax.cuh), that of 256 the maximum itself (exact_softmax.cuh), and a
// warpgroup passes by the key blocks that the causal mask hides from all of its rows.
//
// So much for the schedule `full`. The others lack mechanisms, to measure what these bring; see
// Schedule in config.h. Without a producer the consumers start their own loads, and tiles are dealt
// out by number.
//
// Shared memory in KiB, Q + the stages of K + those of V (and 1 KiB for the barriers):
// d = 64, tile 192 x 128: 24 + 48 + 48; d = 128, 128 x 128: 32 + 96 + 96; d = 256, 128 x 80: 64 +
// 80 + 80.
#pragma once

#include "kernels/attention.h"
#include "kernels/fa3_fp16/config.h"
#include "kernels/stage_trace.h"

namespace fa3prof::kernels::fa3_fp16 {

/// See kernels::describe_launch. head_dim 64, 128 or 256 and fp16 or bf16; schedules other than
/// kFull: head_dim 128 or 256 and fp16.
template <Schedule kSchedule>
[[nodiscard]] LaunchDescription describe(const core::AttentionProblem& problem);

/// See kernels::launch_attention; for the same problems.
template <Schedule kSchedule>
void launch(const core::AttentionProblem& problem, const AttentionTensors& tensors,
            cudaStream_t stream);

/// See kernels::has_stage_trace: fp16 and, but for kFull, head_dim 128.
template <Schedule kSchedule>
[[nodiscard]] bool has_stage_trace(const core::AttentionProblem& problem);

/// See kernels::launch_traced.
template <Schedule kSchedule>
void launch_traced(const core::AttentionProblem& problem, const AttentionTensors& tensors,
                   const TraceRings& rings, cudaStream_t stream);

}  // namespace fa3prof::kernels::fa3_fp16
