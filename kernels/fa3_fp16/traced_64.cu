// The kernels of head_dim 64 that stamp their stages.
#include "kernels/fa3_fp16/launch.cuh"

namespace fa3prof::kernels::fa3_fp16 {

template void launch_traced_head_dim<64, Schedule::kFull>(const core::AttentionProblem&,
                                                          const AttentionTensors&,
                                                          const TraceRings&, cudaStream_t);

}  // namespace fa3prof::kernels::fa3_fp16
