// The GPUs of a host beside each other: which one lags.
#pragma once

#include "src/analysis/row_ratio.h"
#include "src/core/result.h"

#include <string>
#include <vector>

namespace fa3prof::analysis {

/// A GPU lags that is slower than the median one by more than this, with its whole interval.
inline constexpr double kLagRatio = 0.03;

/// A kernel's time on one GPU, beside that on the median GPU.
struct FleetRow {
  const core::Result* result = nullptr;
  RowRatio ratio = {};  ///< this GPU over the median one; nothing for a row without a time
  bool is_median = false;
  bool lags = false;
};

/// One kernel on one problem, on all GPUs in their order. The median GPU is that with the median of
/// the times; of two in the middle the faster.
struct FleetGroup {
  std::vector<FleetRow> rows;
};

/// A group for each kernel and problem of the rows that say on which of several GPUs they were
/// measured. Pointers are into `results`.
[[nodiscard]] std::vector<FleetGroup> fleet_of(const std::vector<core::Result>& results);
std::vector<FleetGroup> fleet_of(std::vector<core::Result>&&) = delete;

/// Why a GPU lags: "its clock is 3.1 % lower, its power limit is 500 W against 700 W".
[[nodiscard]] std::string why_it_lags(const FleetGroup& group, const FleetRow& row);

/// A warning for each GPU that lags.
[[nodiscard]] std::vector<std::string> lag_warnings(const std::vector<FleetGroup>& fleet);

}  // namespace fa3prof::analysis
