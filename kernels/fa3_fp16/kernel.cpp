#include "kernels/fa3_fp16/kernel.h"

#include "src/core/error.h"

#include <cstdint>
#include <string>
#include <type_traits>

namespace fa3prof::kernels::fa3_fp16 {

// Defined in instances_64.cu, instances_128.cu and instances_256.cu.
template <int kHeadDim>
LaunchDescription describe_head_dim(const core::AttentionProblem& problem);
template <int kHeadDim>
void launch_head_dim(const core::AttentionProblem& problem, const AttentionTensors& tensors,
                     cudaStream_t stream);

namespace {

/// Calls `use` with the head_dim as a constant.
template <typename Use>
auto with_head_dim(std::int64_t head_dim, Use use) {
  switch (head_dim) {
    case 64:
      return use(std::integral_constant<int, 64>{});
    case 128:
      return use(std::integral_constant<int, 128>{});
    case 256:
      return use(std::integral_constant<int, 256>{});
    default:
      throw core::UsageError("fa3 has no head_dim " + std::to_string(head_dim));
  }
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

}  // namespace fa3prof::kernels::fa3_fp16
