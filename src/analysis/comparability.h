// Whether two reports measured in the same way, so that a difference between them is the kernels'.
#pragma once

#include "src/core/report.h"

#include <string>
#include <string_view>
#include <vector>

namespace fa3prof::analysis {

/// What decides how fast a GPU can be: "NVIDIA H200, 132 SMs, 1980 MHz, 700 W". Two boards of one
/// kind are the same.
[[nodiscard]] std::string gpu_kind(const core::Gpu& gpu);

/// What must be the same in both reports.
enum class Condition { kGpu, kCache, kInputs, kMethod };

/// "gpu", "cache", "inputs", "method".
[[nodiscard]] std::string_view name_of(Condition condition);

/// A condition that the reports do not share.
struct ConditionDifference {
  Condition condition = Condition::kGpu;
  std::string text;  ///< "NVIDIA H200, 132 SMs, 1980 MHz, 700 W against NVIDIA H100 PCIe, ..."

  bool operator==(const ConditionDifference&) const = default;
};

/// Each difference once. Only rows that both reports timed count. What an old report does not say
/// is no difference: conditions_unknown() tells.
[[nodiscard]] std::vector<ConditionDifference> condition_differences(const core::Report& base,
                                                                     const core::Report& fresh);

/// What a report does not say of its conditions, as a warning naming it by `name`; empty if it says
/// everything.
[[nodiscard]] std::string conditions_unknown(const core::Report& report, const std::string& name);

}  // namespace fa3prof::analysis
