// How kernels' times went over many reports, and where they changed for good or bad.
#pragma once

#include "src/core/report.h"

#include <cstddef>
#include <string>
#include <vector>

namespace fa3prof::analysis {

/// One row of one report.
struct HistoryPoint {
  std::size_t report = 0;  ///< its number in time
  const core::Result* result = nullptr;
  double change_ratio = 0.0;  ///< new time over that of the reference before it, less one
  bool is_change = false;     ///< slower or faster than the reference, by the rule of compare
};

/// A kernel on a problem under the same conditions: kind of GPU, cache, method, inputs.
struct HistorySeries {
  std::string conditions;  ///< "NVIDIA H200, 132 SMs, ..., warm L2, method 0123456789abcdef"
  std::vector<HistoryPoint> points;  ///< at least one, in time

  /// The kernel and the problem are those of every point.
  [[nodiscard]] const core::Result& first() const { return *points.front().result; }

  [[nodiscard]] const core::Result& last() const { return *points.back().result; }
};

/// Numbers of the reports in the order in which they were made.
[[nodiscard]] std::vector<std::size_t> in_time(const std::vector<const core::Report*>& reports);

/// A series for each row that some report timed, in the order in which they first come. `reports`
/// must be in the order of time.
///
/// The first point is the reference of those that follow; a point that is slower or faster than its
/// reference by more than `max_regression_ratio` is a change and the next reference. So a slow
/// creep is found as well as a step. Measured rows are judged as analysis::find_regressions does.
[[nodiscard]] std::vector<HistorySeries> history_of(const std::vector<const core::Report*>& reports,
                                                    double max_regression_ratio);

}  // namespace fa3prof::analysis
