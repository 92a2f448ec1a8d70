#include "kernels/attention.h"

#include "kernels/fa2/kernel.h"
#include "kernels/fa3_fp16/kernel.h"
#include "src/core/error.h"

#include <array>
#include <string>
#include <utility>

namespace fa3prof::kernels {
namespace {

struct Entry {
  std::string_view name;
  LaunchDescription (*describe)(const core::AttentionProblem&);
  void (*launch)(const core::AttentionProblem&, const AttentionTensors&, cudaStream_t);
};

/// fa2, and every schedule of fa3 under its name.
template <std::size_t... kIndex>
constexpr auto entries(std::index_sequence<kIndex...>) {
  using fa3_fp16::kSchedules;
  return std::array{
      Entry{"fa2", fa2::describe, fa2::launch},
      Entry{kSchedules[kIndex].kernel, fa3_fp16::describe<kSchedules[kIndex].schedule>,
            fa3_fp16::launch<kSchedules[kIndex].schedule>}...};
}

constexpr auto kEntries = entries(std::make_index_sequence<fa3_fp16::kSchedules.size()>());

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
