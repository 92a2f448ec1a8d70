// The hardware counters that a run reports: our key, the CUPTI metric behind it, and what it means.
// Free of CUDA, so that every build can list them.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace fa3prof::profile {

/// One counter. Its value under `key` is CUPTI's value times `scale`.
struct Metric {
  std::string_view key;    ///< "tensor_active_ratio": unit in the name, fractions in 0..1
  std::string_view cupti;  ///< full metric name with its rollup, valid on GH100
  double scale = 1.0;      ///< 0.01 for a percentage, 1e-6 for Hz to MHz, 1e-3 for ns to us
  std::string_view meaning;
};

/// Everything asked of CUPTI. "sm__ops_path_tensor..." counts a multiply-add as two operations, so
/// its unit is FLOP. "..._elapsed" ratios are over all SM cycles from launch to end, idle SMs
/// included.
[[nodiscard]] std::span<const Metric> metrics();

/// Adds core::kTensorFlops, the sum of all "tensor_*_flops" of metrics(). Adds nothing unless every
/// one of them is there: a missing format must not look like zero work.
void derive(std::map<std::string, double>& values);

}  // namespace fa3prof::profile
