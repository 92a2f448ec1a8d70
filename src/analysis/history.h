// How kernels' times went over many reports, and where they changed for good or bad.
#pragma once

#include "src/core/report.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace fa3prof::analysis {

/// One row of one report.
struct HistoryPoint {
  std::size_t report = 0;  ///< its number in time
  const core::Result* result = nullptr;
  double change_ratio = 0.0;  ///< its time over that of the reference of its level, less one
  bool is_change = false;     ///< here a new level begins, slower or faster than the one before it
  std::optional<double> level_change_ratio =
      std::nullopt;  ///< of a change: new level over old, less one
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
/// A series is cut into levels by core::change_points of its measured times, so that a change is no
/// chance and no single odd report; of simulated times, which have no noise, each is a level. The
/// median report of a level stands for it. A level that is slower or faster than the reference by
/// more than `max_regression_ratio`, judged on the two reports as analysis::find_regressions does,
/// is a change and the next reference; the first level is the first reference. So a slow creep is
/// found as well as a step.
[[nodiscard]] std::vector<HistorySeries> history_of(const std::vector<const core::Report*>& reports,
                                                    double max_regression_ratio);

}  // namespace fa3prof::analysis
