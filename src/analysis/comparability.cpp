#include "src/analysis/comparability.h"

#include "src/analysis/row_pairs.h"
#include "src/core/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace fa3prof::analysis {
namespace {

using core::Method;
using core::Report;
using core::Result;
using core::Timing;

class Differences {
 public:
  void add(Condition condition, const std::string& base, const std::string& fresh) {
    if (base == fresh) return;
    ConditionDifference difference{.condition = condition, .text = base + " against " + fresh};
    if (std::ranges::find(list_, difference) == list_.end()) list_.push_back(difference);
  }

  [[nodiscard]] std::vector<ConditionDifference> take() { return std::move(list_); }

 private:
  std::vector<ConditionDifference> list_;
};

/// The method without its inputs, which are a condition of their own.
std::string describe_timing(Method method) {
  method.inputs.clear();
  return core::describe(method);
}

void add_differences(const Timing& base, const Timing& fresh, Differences& differences) {
  differences.add(Condition::kCache, base.cache + " L2", fresh.cache + " L2");
  if (!base.method || !fresh.method) return;
  differences.add(Condition::kInputs, base.method->inputs, fresh.method->inputs);
  differences.add(Condition::kMethod, describe_timing(*base.method),
                  describe_timing(*fresh.method));
}

bool is_measured(const Result& result) { return result.source == core::ResultSource::kMeasured; }

}  // namespace

std::string gpu_kind(const core::Gpu& gpu) {
  const std::string power =
      gpu.power_limit_watts > 0.0 ? fmt::format(", {:.0f} W", gpu.power_limit_watts) : "";
  return fmt::format("{}, {} SMs, {:.0f} MHz{}", gpu.name, gpu.sm_count, gpu.max_sm_clock_mhz,
                     power);
}

std::string_view name_of(Condition condition) {
  switch (condition) {
    case Condition::kGpu:
      return "gpu";
    case Condition::kCache:
      return "cache";
    case Condition::kInputs:
      return "inputs";
    case Condition::kMethod:
      return "method";
  }
  throw core::UsageError("unknown condition");
}

std::vector<ConditionDifference> condition_differences(const Report& base, const Report& fresh) {
  Differences differences;
  for (const RowPair& pair : pair_rows(base, fresh)) {
    if (!is_timed(pair.base) || !is_timed(pair.fresh) || !is_measured(*pair.base)) continue;
    if (base.environment.gpu && fresh.environment.gpu) {
      differences.add(Condition::kGpu, gpu_kind(*base.environment.gpu),
                      gpu_kind(*fresh.environment.gpu));
    }
    if (pair.base->timing && pair.fresh->timing) {
      add_differences(*pair.base->timing, *pair.fresh->timing, differences);
    }
  }
  return differences.take();
}

std::string conditions_unknown(const Report& report, const std::string& name) {
  const auto has_no_method = [](const Result& result) {
    return result.timing && !result.timing->method;
  };
  const bool is_measured_anywhere = std::ranges::any_of(report.results, is_measured);
  std::string unknown;
  if (is_measured_anywhere && !report.environment.gpu) unknown = "its GPU";
  if (std::ranges::any_of(report.results, has_no_method)) {
    unknown += unknown.empty() ? "how it timed" : " and how it timed";
  }
  return unknown.empty() ? "" : name + " does not say " + unknown;
}

}  // namespace fa3prof::analysis
