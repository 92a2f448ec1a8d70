// The kernels of head_dim 128 that lack mechanisms.
#include "kernels/fa3_fp16/launch.cuh"

namespace fa3prof::kernels::fa3_fp16 {

template LaunchDescription describe_head_dim<128, Schedule::kSerial>(const core::AttentionProblem&);
template void launch_head_dim<128, Schedule::kSerial>(const core::AttentionProblem&,
                                                      const AttentionTensors&, cudaStream_t);

template LaunchDescription describe_head_dim<128, Schedule::kWarpSpecialized>(
    const core::AttentionProblem&);
template void launch_head_dim<128, Schedule::kWarpSpecialized>(const core::AttentionProblem&,
                                                               const AttentionTensors&,
                                                               cudaStream_t);

template LaunchDescription describe_head_dim<128, Schedule::kPingPong>(
    const core::AttentionProblem&);
template void launch_head_dim<128, Schedule::kPingPong>(const core::AttentionProblem&,
                                                        const AttentionTensors&, cudaStream_t);

template LaunchDescription describe_head_dim<128, Schedule::kOverlap>(
    const core::AttentionProblem&);
template void launch_head_dim<128, Schedule::kOverlap>(const core::AttentionProblem&,
                                                       const AttentionTensors&, cudaStream_t);

}  // namespace fa3prof::kernels::fa3_fp16
