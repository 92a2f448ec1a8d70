#include "kernels/fa3_fp8/kernel.h"

#include "src/core/error.h"

#include <string>
#include <type_traits>

namespace fa3prof::kernels::fa3_fp8 {

// Defined in traced_128.cu.
template <int kHeadDim>
void launch_traced_head_dim(const core::AttentionProblem& problem, const AttentionTensors& tensors,
                            const TraceRings& rings, cudaStream_t stream);
// Defined in instances_*.cu.
template <int kHeadDim, bool kFlushes>
LaunchDescription describe_head_dim(const core::AttentionProblem& problem);
template <int kHeadDim, bool kFlushes>
void launch_head_dim(const core::AttentionProblem& problem, const AttentionTensors& tensors,
                     cudaStream_t stream);

namespace {

/// Calls `use` with the head_dim as a constant.
template <bool kFlushes, typename Use>
auto with_head_dim(std::int64_t head_dim, Use use) {
  if (head_dim == 128) return use(std::integral_constant<int, 128>{});
  if constexpr (!kFlushes) {
    if (head_dim == 64) return use(std::integral_constant<int, 64>{});
    if (head_dim == 256) return use(std::integral_constant<int, 256>{});
  }
  throw core::UsageError("fa3_fp8 has no head_dim " + std::to_string(head_dim));
}

}  // namespace

template <bool kFlushes>
LaunchDescription describe(const core::AttentionProblem& problem) {
  return with_head_dim<kFlushes>(
      problem.head_dim, [&](auto d) { return describe_head_dim<d.value, kFlushes>(problem); });
}

template <bool kFlushes>
void launch(const core::AttentionProblem& problem, const AttentionTensors& tensors,
            cudaStream_t stream) {
  with_head_dim<kFlushes>(problem.head_dim, [&](auto d) {
    launch_head_dim<d.value, kFlushes>(problem, tensors, stream);
  });
}

bool has_stage_trace(const core::AttentionProblem& problem) {
  return problem.dtype == core::DataType::kFloat16 && problem.head_dim == 128;
}

void launch_traced(const core::AttentionProblem& problem, const AttentionTensors& tensors,
                   const TraceRings& rings, cudaStream_t stream) {
  launch_traced_head_dim<128>(problem, tensors, rings, stream);
}

template LaunchDescription describe<false>(const core::AttentionProblem&);
template void launch<false>(const core::AttentionProblem&, const AttentionTensors&, cudaStream_t);
template LaunchDescription describe<true>(const core::AttentionProblem&);
template void launch<true>(const core::AttentionProblem&, const AttentionTensors&, cudaStream_t);

}  // namespace fa3prof::kernels::fa3_fp8
