#include "kernels/attention.h"

#include "kernels/fa1/kernel.h"
#include "kernels/fa2/kernel.h"
#include "kernels/fa3_fp16/kernel.h"
#include "kernels/fa3_fp8/kernel.h"
#include "kernels/quantize/quantize.h"
#include "kernels/stage_trace.h"
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
  bool (*has_stage_trace)(const core::AttentionProblem&) = nullptr;  ///< null: never
  void (*launch_traced)(const core::AttentionProblem&, const AttentionTensors&, const TraceRings&,
                        cudaStream_t) = nullptr;
  /// Of its workspace, beside the counters; null: none.
  std::int64_t (*state_bytes)(const core::AttentionProblem&) = nullptr;
};

/// fa1, fa2, fa3 in e4m3, and every schedule of fa3 under its name.
template <std::size_t... kIndex>
constexpr auto entries(std::index_sequence<kIndex...>) {
  using fa3_fp16::kSchedules;
  return std::array{
      Entry{.name = "fa1",
            .describe = fa1::describe,
            .launch = fa1::launch,
            .state_bytes = fa1::state_bytes},
      Entry{"fa2", fa2::describe, fa2::launch},
      Entry{core::kFp8, fa3_fp8::describe<false>, fa3_fp8::launch<false>, fa3_fp8::has_stage_trace,
            fa3_fp8::launch_traced},
      Entry{core::kFp8Flushing, fa3_fp8::describe<true>, fa3_fp8::launch<true>},
      Entry{kSchedules[kIndex].kernel, fa3_fp16::describe<kSchedules[kIndex].schedule>,
            fa3_fp16::launch<kSchedules[kIndex].schedule>,
            fa3_fp16::has_stage_trace<kSchedules[kIndex].schedule>,
            fa3_fp16::launch_traced<kSchedules[kIndex].schedule>}...};
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

/// The kernels look for the largest raw score: a scale of zero or below would turn that around.
void check_scale(const AttentionTensors& tensors) {
  if (tensors.softmax_scale > 0.0F) return;
  throw core::UsageError("softmax_scale is " + std::to_string(tensors.softmax_scale) +
                         ", but must be above 0");
}

/// Which signs is of no account, as long as runs repeat.
constexpr std::uint64_t kSignSeed = 1;

quantize::Tiles tiles_of(const core::AttentionKernel& kernel,
                         const core::AttentionProblem& problem) {
  return fa3_fp8::config_for(
             {.head_dim = problem.head_dim, .flushes = kernel.name == core::kFp8Flushing})
      .tiles();
}

}  // namespace

std::size_t workspace_bytes(const core::AttentionKernel& kernel,
                            const core::AttentionProblem& problem) {
  const Entry& entry = find(kernel, problem);
  const std::int64_t state = entry.state_bytes == nullptr ? 0 : entry.state_bytes(problem);
  return kCounterBytes + static_cast<std::size_t>(state);
}

std::size_t quantized_bytes(const core::AttentionKernel& kernel,
                            const core::AttentionProblem& problem) {
  find(kernel, problem);
  return kernel.quantizes ? quantize::memory_bytes(problem, tiles_of(kernel, problem)) : 0;
}

QuantizedTensors quantize_inputs(const core::AttentionKernel& kernel,
                                 const core::AttentionProblem& problem,
                                 const AttentionTensors& tensors, void* memory,
                                 cudaStream_t stream) {
  return quantize::quantize(problem, tiles_of(kernel, problem), tensors,
                            {.signs = quantize::random_signs(kSignSeed)}, memory, stream);
}

LaunchDescription describe_launch(const core::AttentionKernel& kernel,
                                  const core::AttentionProblem& problem) {
  return find(kernel, problem).describe(problem);
}

void launch_attention(const core::AttentionKernel& kernel, const core::AttentionProblem& problem,
                      const AttentionTensors& tensors, cudaStream_t stream) {
  const Entry& entry = find(kernel, problem);
  check_scale(tensors);
  entry.launch(problem, tensors, stream);
}

bool has_stage_trace(const core::AttentionKernel& kernel, const core::AttentionProblem& problem) {
  const Entry& entry = find(kernel, problem);
  return entry.has_stage_trace != nullptr && entry.has_stage_trace(problem);
}

void launch_traced(const core::AttentionKernel& kernel, const core::AttentionProblem& problem,
                   const AttentionTensors& tensors, const TraceRings& rings, cudaStream_t stream) {
  if (!has_stage_trace(kernel, problem)) {
    throw core::UsageError(std::string(kernel.name) + " has no instance with stamps for " +
                           core::describe(problem));
  }
  check_scale(tensors);
  find(kernel, problem).launch_traced(problem, tensors, rings, stream);
}

}  // namespace fa3prof::kernels
