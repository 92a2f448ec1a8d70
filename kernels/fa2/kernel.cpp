#include "kernels/fa2/kernel.h"

#include "src/core/error.h"

#include <string>

namespace fa3prof::kernels::fa2 {

// Defined in instances_*.cu.
template <int kHeadDim>
LaunchDescription describe_head_dim(const core::AttentionProblem& problem);
template <int kHeadDim>
void launch_head_dim(const core::AttentionProblem& problem, const AttentionTensors& tensors,
                     cudaStream_t stream);

LaunchDescription describe(const core::AttentionProblem& problem) {
  switch (problem.head_dim) {
    case 64:
      return describe_head_dim<64>(problem);
    case 128:
      return describe_head_dim<128>(problem);
    case 256:
      return describe_head_dim<256>(problem);
    default:
      throw core::UsageError("fa2 has no head_dim " + std::to_string(problem.head_dim));
  }
}

void launch(const core::AttentionProblem& problem, const AttentionTensors& tensors,
            cudaStream_t stream) {
  switch (problem.head_dim) {
    case 64:
      return launch_head_dim<64>(problem, tensors, stream);
    case 128:
      return launch_head_dim<128>(problem, tensors, stream);
    case 256:
      return launch_head_dim<256>(problem, tensors, stream);
    default:
      throw core::UsageError("fa2 has no head_dim " + std::to_string(problem.head_dim));
  }
}

}  // namespace fa3prof::kernels::fa2
