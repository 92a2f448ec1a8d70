// The kernels of head_dim 256.
#include "kernels/fa2/launch.cuh"

namespace fa3prof::kernels::fa2 {

template LaunchDescription describe_head_dim<256>(const core::AttentionProblem&);
template void launch_head_dim<256>(const core::AttentionProblem&, const AttentionTensors&,
                                   cudaStream_t);

}  // namespace fa3prof::kernels::fa2
