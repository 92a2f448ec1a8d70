// What a run measures, whoever wrote it: one of our kernels, cuDNN or a plugin, bound to a problem.
#pragma once

#include "kernels/attention.h"
#include "src/core/attention_problem.h"
#include "src/profile/plugin.h"
#include "src/profile/profiler.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace fa3prof::profile {

struct Candidate {
  /// Enqueues one launch and returns without waiting; a text says why it did not.
  using Launch =
      std::function<std::optional<std::string>(const kernels::AttentionTensors&, cudaStream_t)>;

  std::string name;
  std::string version;              ///< of a plugin or cuDNN; our kernels have the program's
  std::size_t workspace_bytes = 0;  ///< zero before the first launch, then its own
  Launch launch;
  std::string unsupported_reason = {};  ///< not empty: it does not take the problem on this GPU
  /// Ours, where this kernel is: what can be traced.
  std::optional<core::AttentionKernel> own = std::nullopt;
  /// How it is launched, where that is known: our kernels only. Needs the current device.
  std::function<kernels::LaunchDescription()> describe = nullptr;
  core::DataType multiplies = core::DataType::kFloat16;  ///< the problem's, or what it quantizes to
  /// Of a kernel that quantizes: the device memory that takes, and what enqueues it.
  std::size_t quantized_bytes = 0;
  std::function<kernels::QuantizedTensors(const kernels::AttentionTensors&, void* memory,
                                          cudaStream_t)>
      quantize = nullptr;
};

/// Throws DeviceError from `launch` when a device call fails.
[[nodiscard]] Candidate make_candidate(const core::AttentionKernel& kernel,
                                       const core::AttentionProblem& problem);

/// A supported problem. `launch` also fails when the plugin leaves a CUDA error behind.
[[nodiscard]] Candidate make_candidate(const Plugin& plugin, const core::AttentionProblem& problem);

/// A supported problem, planned on the current device.
[[nodiscard]] Candidate make_candidate(const Cudnn& cudnn, const core::AttentionProblem& problem);

/// One for each of the request's kernels, in order. The request must have passed check_request.
[[nodiscard]] std::vector<Candidate> make_candidates(const RunRequest& request);

/// What reports say of a launch.
[[nodiscard]] core::Launch to_launch(const kernels::LaunchDescription& description);

}  // namespace fa3prof::profile
