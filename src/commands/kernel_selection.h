// Which of the chosen kernels run on a problem.
#pragma once

#include "src/commands/kernel_choice.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fa3prof::commands {

/// Why a kernel is left out of a problem, or nothing.
class Selection {
 public:
  /// With a `capability` own kernels that do not fit it are left out; without, as where the user
  /// named them, the profiler refuses the run.
  Selection(std::vector<ChosenKernel> kernels, std::optional<core::ComputeCapability> capability)
      : kernels_(std::move(kernels)), capability_(capability) {}

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
