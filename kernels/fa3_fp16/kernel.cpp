#include "kernels/fa3_fp16/kernel.h"

#include "src/core/error.h"

#include <string>
#include <type_traits>

namespace fa3prof::kernels::fa3_fp16 {

// Defined in instances_*.cu and schedules_*.cu.
template <int kHeadDim, Schedule kSchedule>
LaunchDescription describe_head_dim(const core::AttentionProblem& problem);
template <int kHeadDim, Schedule kSchedule>
void launch_head_dim(const core::AttentionProblem& problem, const AttentionTensors& tensors,
                     cudaStream_t stream);
// Defined in traced_*.cu.
template <int kHeadDim, Schedule kSchedule>
void launch_traced_head_dim(const core::AttentionProblem& problem, const AttentionTensors& tensors,
                            const TraceRings& rings, cudaStream_t stream);

namespace {

/// Calls `use` with the head_dim as a constant.
template <Schedule kSchedule, typename Use>
auto with_head_dim(std::int64_t head_dim, Use use) {
  if constexpr (kSchedule == Schedule::kFull) {
    if (head_dim == 64) return use(std::integral_constant<int, 64>{});
  }
  if (head_dim == 128) return use(std::integral_constant<int, 128>{});
  if (head_dim == 256) return use(std::integral_constant<int, 256>{});
  throw core::UsageError("fa3 has no head_dim " + std::to_string(head_dim));
}

}  // namespace

template <Schedule kSchedule>
LaunchDescription describe(const core::AttentionProblem& problem) {
  return with_head_dim<kSchedule>(
      problem.head_dim, [&](auto d) { return describe_head_dim<d.value, kSchedule>(problem); });
}

template <Schedule kSchedule>
void launch(const core::AttentionProblem& problem, const AttentionTensors& tensors,
            cudaStream_t stream) {
  with_head_dim<kSchedule>(problem.head_dim, [&](auto d) {
    launch_head_dim<d.value, kSchedule>(problem, tensors, stream);
  });
}

template <Schedule kSchedule>
bool has_stage_trace(const core::AttentionProblem& problem) {
  return problem.dtype == core::DataType::kFloat16 &&
         (kSchedule == Schedule::kFull || problem.head_dim == 128);
}

template <Schedule kSchedule>
void launch_traced(const core::AttentionProblem& problem, const AttentionTensors& tensors,
                   const TraceRings& rings, cudaStream_t stream) {
  with_head_dim<kSchedule>(problem.head_dim, [&](auto d) {
    if constexpr (kSchedule == Schedule::kFull || d.value == 128) {
      launch_traced_head_dim<d.value, kSchedule>(problem, tensors, rings, stream);
    }
  });
}

template LaunchDescription describe<Schedule::kSerial>(const core::AttentionProblem&);
template void launch<Schedule::kSerial>(const core::AttentionProblem&, const AttentionTensors&,
                                        cudaStream_t);
template LaunchDescription describe<Schedule::kWarpSpecialized>(const core::AttentionProblem&);
template void launch<Schedule::kWarpSpecialized>(const core::AttentionProblem&,
                                                 const AttentionTensors&, cudaStream_t);
template LaunchDescription describe<Schedule::kPingPong>(const core::AttentionProblem&);
template void launch<Schedule::kPingPong>(const core::AttentionProblem&, const AttentionTensors&,
                                          cudaStream_t);
template LaunchDescription describe<Schedule::kOverlap>(const core::AttentionProblem&);
template void launch<Schedule::kOverlap>(const core::AttentionProblem&, const AttentionTensors&,
                                         cudaStream_t);
template LaunchDescription describe<Schedule::kFull>(const core::AttentionProblem&);
template void launch<Schedule::kFull>(const core::AttentionProblem&, const AttentionTensors&,
                                      cudaStream_t);

template bool has_stage_trace<Schedule::kSerial>(const core::AttentionProblem&);
template void launch_traced<Schedule::kSerial>(const core::AttentionProblem&,
                                               const AttentionTensors&, const TraceRings&,
                                               cudaStream_t);
template bool has_stage_trace<Schedule::kWarpSpecialized>(const core::AttentionProblem&);
template void launch_traced<Schedule::kWarpSpecialized>(const core::AttentionProblem&,
                                                        const AttentionTensors&, const TraceRings&,
                                                        cudaStream_t);
template bool has_stage_trace<Schedule::kPingPong>(const core::AttentionProblem&);
template void launch_traced<Schedule::kPingPong>(const core::AttentionProblem&,
                                                 const AttentionTensors&, const TraceRings&,
                                                 cudaStream_t);
template bool has_stage_trace<Schedule::kOverlap>(const core::AttentionProblem&);
template void launch_traced<Schedule::kOverlap>(const core::AttentionProblem&,
                                                const AttentionTensors&, const TraceRings&,
                                                cudaStream_t);
template bool has_stage_trace<Schedule::kFull>(const core::AttentionProblem&);
template void launch_traced<Schedule::kFull>(const core::AttentionProblem&, const AttentionTensors&,
                                             const TraceRings&, cudaStream_t);

}  // namespace fa3prof::kernels::fa3_fp16
