// Which kernels of a run take part in which problem.
#pragma once

#include "src/commands/kernel_choice.h"
#include "src/commands/run.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fa3prof::commands {

/// Why a kernel is left out of a problem, or nothing. A GPU that does not fit a kernel named by the
/// user is no reason: the profiler then refuses the run.
class Selection {
 public:
  Selection(const RunOptions& options, std::vector<ChosenKernel> kernels,
            const std::optional<core::Gpu>& gpu)
      : kernels_(std::move(kernels)) {
    if (!options.kernels.names_any() && gpu) capability_ = gpu->capability;
  }

  [[nodiscard]] const std::vector<ChosenKernel>& kernels() const { return kernels_; }

  [[nodiscard]] std::optional<std::string> why_left_out(
      const ChosenKernel& kernel, const core::AttentionProblem& problem) const {
    if (auto reason = kernel.why_unsupported(problem)) return reason;
    if (!capability_ || kernel.own == nullptr) return std::nullopt;
    return core::why_unsupported(*kernel.own, *capability_);
  }

 private:
  std::vector<ChosenKernel> kernels_;
  std::optional<core::ComputeCapability> capability_;
};

}  // namespace fa3prof::commands
