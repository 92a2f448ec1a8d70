// The kernels of head_dim 128.
#include "kernels/fa3_fp8/launch.cuh"

namespace fa3prof::kernels::fa3_fp8 {

template LaunchDescription describe_head_dim<128, false>(const core::AttentionProblem&);
template void launch_head_dim<128, false>(const core::AttentionProblem&, const AttentionTensors&,
                                          cudaStream_t);

template LaunchDescription describe_head_dim<128, true>(const core::AttentionProblem&);
template void launch_head_dim<128, true>(const core::AttentionProblem&, const AttentionTensors&,
                                         cudaStream_t);

}  // namespace fa3prof::kernels::fa3_fp8
