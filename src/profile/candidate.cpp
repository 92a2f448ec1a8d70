#include "src/profile/candidate.h"

#include "src/profile/request_check.h"

#include <fmt/format.h>

#include <memory>

namespace fa3prof::profile {
namespace {

fa3prof_strides to_c(const kernels::Strides& strides) {
  return {strides.batch, strides.seq, strides.head};
}

fa3prof_tensors to_c(const kernels::AttentionTensors& tensors, std::size_t workspace_bytes,
                     cudaStream_t stream) {
  fa3prof_tensors c{};
  c.q = tensors.q;
  c.k = tensors.k;
  c.v = tensors.v;
  c.o = tensors.o;
  c.lse = tensors.lse;
  c.q_strides = to_c(tensors.q_strides);
  c.k_strides = to_c(tensors.k_strides);
  c.v_strides = to_c(tensors.v_strides);
  c.o_strides = to_c(tensors.o_strides);
  c.workspace = tensors.workspace;
  c.workspace_bytes = workspace_bytes;
  c.stream = stream;
  return c;
}

}  // namespace

core::Launch to_launch(const kernels::LaunchDescription& description) {
  return {.tile = description.tile,
          .stages = description.stages,
          .threads = description.threads,
          .ctas_per_sm = description.ctas_per_sm,
          .registers_per_thread = description.registers_per_thread,
          .shared_memory_bytes = description.shared_memory_bytes,
          .grid = description.grid,
          .is_persistent = description.is_persistent};
}

Candidate make_candidate(const core::AttentionKernel& kernel,
                         const core::AttentionProblem& problem) {
  const auto launch = [kernel, problem](const kernels::AttentionTensors& tensors,
                                        cudaStream_t stream) -> std::optional<std::string> {
    kernels::launch_attention(kernel, problem, tensors, stream);
    return std::nullopt;
  };
  Candidate candidate{
      .name = std::string(kernel.name),
      .version = "",
      .workspace_bytes = kernels::workspace_bytes(kernel, problem),
      .launch = launch,
      .own = kernel,
      .describe = [kernel, problem] { return kernels::describe_launch(kernel, problem); },
      .multiplies = core::multiplied_type(kernel, problem),
      .quantized_bytes = kernels::quantized_bytes(kernel, problem)};
  if (kernel.quantizes) {
    candidate.quantize = [kernel, problem](const kernels::AttentionTensors& tensors, void* memory,
                                           cudaStream_t stream) {
      return kernels::quantize_inputs(kernel, problem, tensors, memory, stream);
    };
  }
  return candidate;
}

Candidate make_candidate(const Plugin& plugin, const core::AttentionProblem& problem) {
  const auto workspace_bytes = static_cast<std::size_t>(plugin.workspace_bytes(problem));
  const auto launch = [plugin, problem, workspace_bytes](
                          const kernels::AttentionTensors& tensors,
                          cudaStream_t stream) -> std::optional<std::string> {
    auto failure = plugin.launch(problem, to_c(tensors, workspace_bytes, stream));
    const cudaError_t left = cudaGetLastError();
    if (failure || left == cudaSuccess) return failure;
    return fmt::format("its launch left the CUDA error {} behind: {}", cudaGetErrorName(left),
                       cudaGetErrorString(left));
  };
  return {.name = plugin.name(),
          .version = plugin.version(),
          .workspace_bytes = workspace_bytes,
          .launch = launch,
          .multiplies = plugin.multiplied_type(problem)};
}

Candidate make_candidate(const Cudnn& cudnn, const core::AttentionProblem& problem) {
  Candidate candidate;
  candidate.name = core::kCudnn;
  candidate.multiplies = problem.dtype;
  candidate.version = cudnn.version();
  try {
    const std::shared_ptr<CudnnPlan> plan = cudnn.make_plan(problem);
    candidate.workspace_bytes = plan->workspace_bytes();
    candidate.launch = [plan](const kernels::AttentionTensors& tensors,
                              cudaStream_t stream) -> std::optional<std::string> {
      try {
        plan->launch({.q = tensors.q,
                      .k = tensors.k,
                      .v = tensors.v,
                      .o = tensors.o,
                      .lse = tensors.lse,
                      .workspace = tensors.workspace},
                     stream);
        return std::nullopt;
      } catch (const CudnnError& error) {
        return error.what();
      }
    };
  } catch (const CudnnError& error) {
    candidate.unsupported_reason = fmt::format("cudnn {}: {}", cudnn.version(), error.what());
  }
  static_cast<void>(cudaGetLastError());  // a refused engine may have left one behind
  return candidate;
}

std::vector<Candidate> make_candidates(const RunRequest& request) {
  std::vector<Candidate> candidates;
  for (const std::string& name : request.kernels) {
    const Plugin* plugin = find_plugin(request, name);
    if (name == core::kCudnn && request.cudnn) {
      candidates.push_back(make_candidate(*request.cudnn, request.problem));
      continue;
    }
    candidates.push_back(plugin != nullptr
                             ? make_candidate(*plugin, request.problem)
                             : make_candidate(core::find_kernel(name), request.problem));
  }
  return candidates;
}

}  // namespace fa3prof::profile
