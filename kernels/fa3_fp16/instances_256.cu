// The kernels of head_dim 256.
#include "kernels/fa3_fp16/launch.cuh"

namespace fa3prof::kernels::fa3_fp16 {

template LaunchDescription describe_head_dim<256, Schedule::kFull>(const core::AttentionProblem&);
template void launch_head_dim<256, Schedule::kFull>(const core::AttentionProblem&,
                                                    const AttentionTensors&, cudaStream_t);

}  // namespace fa3prof::kernels::fa3_fp16
