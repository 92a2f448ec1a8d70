// The kernels of head_dim 64.
#include "kernels/fa3_fp8/launch.cuh"

namespace fa3prof::kernels::fa3_fp8 {

template LaunchDescription describe_head_dim<64, false>(const core::AttentionProblem&);
template void launch_head_dim<64, false>(const core::AttentionProblem&, const AttentionTensors&,
                                         cudaStream_t);

}  // namespace fa3prof::kernels::fa3_fp8
