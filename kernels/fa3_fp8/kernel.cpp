#include "kernels/fa3_fp8/kernel.h"

#include "src/core/error.h"

#include <string>
#include <type_traits>

namespace fa3prof::kernels::fa3_fp8 {

// Defined in instances_*.cu.
template <int kHeadDim>
LaunchDescription describe_head_dim(const core::AttentionProblem& problem);
template <int kHeadDim>
void launch_head_dim(const core::AttentionProblem& problem, const AttentionTensors& tensors,
                     cudaStream_t stream);

namespace {

/// Calls `use` with the head_dim as a constant.
template <typename Use>
auto with_head_dim(std::int64_t head_dim, Use use) {
  if (head_dim == 64) return use(std::integral_constant<int, 64>{});
  if (head_dim == 128) return use(std::integral_constant<int, 128>{});
  if (head_dim == 256) return use(std::integral_constant<int, 256>{});
  throw core::UsageError("fa3_fp8 has no head_dim " + std::to_string(head_dim));
}

}  // namespace

LaunchDescription describe(const core::AttentionProblem& problem) {
  return with_head_dim(problem.head_dim,
                       [&](auto d) { return describe_head_dim<d.value>(problem); });
}

void launch(const core::AttentionProblem& problem, const AttentionTensors& tensors,
            cudaStream_t stream) {
  with_head_dim(problem.head_dim,
                [&](auto d) { launch_head_dim<d.value>(problem, tensors, stream); });
}

}  // namespace fa3prof::kernels::fa3_fp8
