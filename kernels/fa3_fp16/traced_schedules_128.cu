// The kernels of head_dim 128 that lack mechanisms, with stamps of their stages.
#include "kernels/fa3_fp16/launch.cuh"

namespace fa3prof::kernels::fa3_fp16 {

template void launch_traced_head_dim<128, Schedule::kSerial>(const core::AttentionProblem&,
                                                             const AttentionTensors&,
                                                             const TraceRings&, cudaStream_t);
template void launch_traced_head_dim<128, Schedule::kWarpSpecialized>(const core::AttentionProblem&,
                                                                      const AttentionTensors&,
                                                                      const TraceRings&,
                                                                      cudaStream_t);
template void launch_traced_head_dim<128, Schedule::kPingPong>(const core::AttentionProblem&,
                                                               const AttentionTensors&,
                                                               const TraceRings&, cudaStream_t);
template void launch_traced_head_dim<128, Schedule::kOverlap>(const core::AttentionProblem&,
                                                              const AttentionTensors&,
                                                              const TraceRings&, cudaStream_t);

}  // namespace fa3prof::kernels::fa3_fp16
