#include "kernels/attention.h"

#include "kernels/fa2/kernel.h"
#include "kernels/fa3_fp16/kernel.h"
#include "src/core/error.h"

#include <array>
#include <string>

namespace fa3prof::kernels {
namespace {

struct Entry {
  std::string_view name;
  LaunchDescription (*describe)(const core::AttentionProblem&);
  void (*launch)(const core::AttentionProblem&, const AttentionTensors&, cudaStream_t);
};

template <fa3_fp16::Schedule kSchedule>
constexpr Entry fa3_entry(std::string_view name) {
  return {name, fa3_fp16::describe<kSchedule>, fa3_fp16::launch<kSchedule>};
}

using enum fa3_fp16::Schedule;

constexpr std::array kEntries{
    Entry{"fa2", fa2::describe, fa2::launch}, fa3_entry<kFull>("fa3"),
    fa3_entry<kSerial>("fa3-serial"),         fa3_entry<kWarpSpecialized>("fa3-ws"),
    fa3_entry<kPingPong>("fa3-pingpong"),     fa3_entry<kOverlap>("fa3-overlap"),
};

const Entry& find(const core::AttentionKernel& kernel, const core::AttentionProblem& problem) {
  core::validate(problem);
  if (const auto reason = core::why_unsupported(kernel, problem)) throw core::UsageError(*reason);
  for (const Entry& entry : kEntries) {
    if (entry.name == kernel.name) return entry;
  }
  throw core::UsageError("kernel '" + std::string(kernel.name) + "' has no code in this build");
}

}  // namespace

LaunchDescription describe_launch(const core::AttentionKernel& kernel,
                                  const core::AttentionProblem& problem) {
  return find(kernel, problem).describe(problem);
}

void launch_attention(const core::AttentionKernel& kernel, const core::AttentionProblem& problem,
                      const AttentionTensors& tensors, cudaStream_t stream) {
  const Entry& entry = find(kernel, problem);
  // The kernels look for the largest raw score: a scale of zero or below would turn that around.
  if (!(tensors.softmax_scale > 0.0F)) {
    throw core::UsageError("softmax_scale is " + std::to_string(tensors.softmax_scale) +
                           ", but must be above 0");
  }
  entry.launch(problem, tensors, stream);
}

}  // namespace fa3prof::kernels
