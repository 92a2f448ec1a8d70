// The kernels of head_dim 128 that stamp their stages.
#include "kernels/fa3_fp8/launch.cuh"

namespace fa3prof::kernels::fa3_fp8 {

template void launch_traced_head_dim<128>(const core::AttentionProblem&, const AttentionTensors&,
                                          const TraceRings&, cudaStream_t);

}  // namespace fa3prof::kernels::fa3_fp8
