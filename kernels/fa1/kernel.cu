// Forward attention in the manner of FlashAttention-1 (arXiv 2205.14135, Algorithm 1).
//
//   O[b, i, h, :] = softmax(scale * Q[b, i, h, :] K[b, :, h', :]^T + mask) V[b, :, h', :]
//   Q, O: [batch, seqlen_q, heads, d]; K, V: [batch, seqlen_kv, heads_kv, d]; h' = h / group.
//
// A CTA owns a whole head: nothing runs in parallel along the sequence. The outer loop goes over
// key blocks, the inner one over tiles of 16 query rows; what is known of a row lives in global
// memory between two key blocks: O in float32, already divided by the sum, the maximum m and the
// sum l. The four warps split the keys of a block, hold them in registers as fragments of K and V,
// and meet twice in each inner step:
//   read O, m, l and the next Q | S = Q K^T, mask, row maxima of the warp's keys | barrier |
//   P = exp(S - maximum), P V over the warp's keys | barrier |
//   add up the warps' parts, O = (l exp(m - m') O + exp(maximum - m') P V) / l', write O, m', l'
// The last key block that a tile sees leaves O in 16 bits and LSE instead.
//
// K, V and Q come by ordinary loads and stores through registers, as on GPUs before cp.async.
// Shared memory, bytes, d = 128: K, then V, then the warps' parts of O 34816, Q 4096, maxima and
// sums 512. K, V and Q lie as [d / 64][rows][64] halves, the 16-byte chunk c of a row at
// c ^ (row & 7): no bank conflicts for stores or ldmatrix.
#include "kernels/fa1/config.h"
#include "kernels/fa1/head.cuh"
#include "kernels/fa1/kernel.h"
#include "kernels/fa1/storage.cuh"
#include "kernels/runtime/cuda_check.h"
#include "kernels/runtime/launch.h"
#include "src/core/error.h"

#include <limits>
#include <string>

namespace fa3prof::kernels::fa1 {
namespace {

template <typename Instance>
__global__ void __launch_bounds__(Instance::kConfig.threads(), Instance::kConfig.ctas_per_sm)
    attention(const __grid_constant__ Parameters p) {
  extern __shared__ __align__(kRowBytes) unsigned char raw_shared[];
  Head<Instance>(p, *reinterpret_cast<SharedStorage<Instance>*>(raw_shared)).run();
}

template <typename Instance>
const void* function() {
  return reinterpret_cast<const void*>(attention<Instance>);
}

/// CTAs: one a head.
int grid_of(const core::AttentionProblem& problem) {
  const std::int64_t heads = problem.batch * problem.num_heads;
  if (heads > std::numeric_limits<int>::max()) {
    throw core::UsageError(std::to_string(heads) +
                           " heads are more than one launch can number; use fewer batches");
  }
  return static_cast<int>(heads);
}

template <typename Instance>
LaunchDescription describe_instance(const core::AttentionProblem& problem) {
  LaunchDescription description =
      describe_kernel(function<Instance>(), Instance::kConfig, sizeof(SharedStorage<Instance>));
  description.grid = grid_of(problem);
  description.is_persistent = false;
  return description;
}

template <typename Instance>
void launch_instance(const core::AttentionProblem& problem, const AttentionTensors& tensors,
                     cudaStream_t stream) {
  auto* const output =
      reinterpret_cast<float*>(static_cast<char*>(tensors.workspace) + kCounterBytes);
  float* const row_state = output + state_rows(problem) * Instance::kConfig.head_dim;
  const Parameters parameters{
      .tensors = tensors,
      .seqlen_q = static_cast<int>(problem.seqlen_q),
      .seqlen_kv = static_cast<int>(problem.seqlen_kv),
      .num_heads = static_cast<int>(problem.num_heads),
      .heads_per_kv_head = static_cast<int>(problem.num_heads / problem.num_heads_kv),
      .is_causal = problem.is_causal,
      .scale_log2 = tensors.softmax_scale * kLog2E,
      .padded_rows = static_cast<int>(padded_rows(problem)),
      .output = output,
      .row_state = reinterpret_cast<float2*>(row_state)};
  allow_shared_memory(function<Instance>(), sizeof(SharedStorage<Instance>));
  attention<Instance><<<static_cast<unsigned>(grid_of(problem)), Instance::kConfig.threads(),
                        sizeof(SharedStorage<Instance>), stream>>>(parameters);
  cuda_check(cudaGetLastError());
}

static_assert(sizeof(SharedStorage<HeadDim128>) == kHeadDim128.shared_memory_bytes());
static_assert(sizeof(SharedStorage<HeadDim64>) == kHeadDim64.shared_memory_bytes());

}  // namespace

LaunchDescription describe(const core::AttentionProblem& problem) {
  return problem.head_dim == 64 ? describe_instance<HeadDim64>(problem)
                                : describe_instance<HeadDim128>(problem);
}

void launch(const core::AttentionProblem& problem, const AttentionTensors& tensors,
            cudaStream_t stream) {
  return problem.head_dim == 64 ? launch_instance<HeadDim64>(problem, tensors, stream)
                                : launch_instance<HeadDim128>(problem, tensors, stream);
}

}  // namespace fa3prof::kernels::fa1
