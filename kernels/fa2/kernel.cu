// Forward attention in the manner of FlashAttention-2 (arXiv 2307.08691, section 3).
//
//   O[b, i, h, :] = softmax(scale * Q[b, i, h, :] K[b, :, h', :]^T + mask) V[b, :, h', :]
//   Q, O: [batch, seqlen_q, heads, d]; K, V: [batch, seqlen_kv, heads_kv, d]; h' = h / group.
//
// A CTA owns tile_m query rows of one head and visits the key blocks that they see, from the last
// to the first, so that only the first ones visited need masks. Every warp owns two slabs of 16
// rows and works alone on them: all keys of a block, all columns of O. One serial loop per key
// block:
//   wait for K, barrier | start V | S = Q K^T, mask, row maximum | wait for V, barrier |
//   start the next K | P = exp(S - maximum), O += P V
// V arrives under the first GEMM, the next K under the second. The exponentials of 16 keys stand
// between the mma of the 16 keys before; whatever this does not hide is left to the other CTA on
// the SM. Both m16 slabs use each fragment of K and V that a warp loads.
//
// Shared memory, bytes, tile 128 x 64, d = 128: Q 32768, K 16384, V 16384: 65536. Each tile is
// [d / 64][rows][64] halves, the 16-byte chunk c of a row stored at c ^ (row & 7): rows of 128
// bytes and yet no bank conflicts, neither for cp.async nor for ldmatrix.
#include "kernels/fa2/config.h"
#include "kernels/fa2/kernel.h"
#include "kernels/fa2/query_tile.cuh"
#include "kernels/fa2/storage.cuh"
#include "kernels/runtime/cuda_check.h"
#include "kernels/runtime/launch.h"
#include "kernels/tile/scheduler.cuh"

#include <cstdint>

namespace fa3prof::kernels::fa2 {
namespace {

template <typename Instance>
__global__ void __launch_bounds__(Instance::kConfig.threads(), Instance::kConfig.ctas_per_sm)
    attention(const Parameters p) {
  extern __shared__ __align__(1024) unsigned char raw_shared[];
  QueryTile<Instance>(p, static_cast<std::uint32_t>(__cvta_generic_to_shared(raw_shared))).run();
}

template <typename Instance>
const void* function() {
  return reinterpret_cast<const void*>(attention<Instance>);
}

template <typename Instance>
LaunchDescription describe_instance(const core::AttentionProblem& problem) {
  LaunchDescription description =
      describe_kernel(function<Instance>(), Instance::kConfig, sizeof(SharedStorage<Instance>));
  description.grid = tile::tile_order(problem, Instance::kConfig.tile_m).tiles;
  description.is_persistent = false;
  return description;
}

template <typename Instance>
void launch_instance(const core::AttentionProblem& problem, const AttentionTensors& tensors,
                     cudaStream_t stream) {
  const Parameters parameters{.tensors = tensors,
                              .seqlen_q = static_cast<int>(problem.seqlen_q),
                              .seqlen_kv = static_cast<int>(problem.seqlen_kv),
                              .heads_per_kv_head = tile::Divisor(
                                  static_cast<int>(problem.num_heads / problem.num_heads_kv)),
                              .is_causal = problem.is_causal,
                              .scale_log2 = tensors.softmax_scale * kLog2E,
                              .order = tile::tile_order(problem, Instance::kConfig.tile_m)};
  allow_shared_memory(function<Instance>(), sizeof(SharedStorage<Instance>));
  attention<Instance><<<static_cast<unsigned>(parameters.order.tiles), Instance::kConfig.threads(),
                        sizeof(SharedStorage<Instance>), stream>>>(parameters);
  cuda_check(cudaGetLastError());
}

}  // namespace

LaunchDescription describe(const core::AttentionProblem& problem) {
  return describe_instance<HeadDim128>(problem);
}

void launch(const core::AttentionProblem& problem, const AttentionTensors& tensors,
            cudaStream_t stream) {
  launch_instance<HeadDim128>(problem, tensors, stream);
}

}  // namespace fa3prof::kernels::fa2
