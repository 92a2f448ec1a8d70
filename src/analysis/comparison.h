// Measured beside simulated, and one kernel beside another. Not: how that is printed (src/report).
#pragma once

#include "src/core/attention_problem.h"
#include "src/core/result.h"

#include <optional>
#include <string>
#include <vector>

namespace fa3prof::analysis {

/// How many times faster a row is than the first row of its problem; 2.0 is twice as fast. A ratio
/// is absent where one of its two numbers is.
struct Speedup {
  std::string baseline;  ///< label of the first row
  /// Where both were timed in turn: core::paired_ratio over the rounds, in which a drifting clock
  /// cancels, and its 95 % interval. Else the ratio of the two times, without an interval.
  std::optional<double> measured_time_ratio;
  std::optional<core::Interval> measured_time_ratio_ci95;
  std::optional<double> measured_cycles_ratio;
  std::optional<double> simulated_time_ratio;
  std::optional<double> simulated_cycles_ratio;
};

/// One kernel on one problem: its measured result, its simulated one, or both. The pointers are
/// into the results given to compare().
struct Row {
  std::string label;  ///< core::row_label; pipeline where one kernel has several
  const core::Result* measured = nullptr;
  const core::Result* simulated = nullptr;

  std::optional<double> measured_cycles;
  std::string measured_cycles_basis;  ///< "counted", "time x 1755 MHz"; empty without cycles

  std::optional<double> cycles_deviation_ratio;  ///< simulated / measured - 1
  std::optional<double> time_deviation_ratio;    ///< simulated / measured - 1, clocks may differ

  std::optional<Speedup> speedup;  ///< absent in the first row of a problem, of each GPU
};

struct ProblemComparison {
  core::AttentionProblem problem;
  std::vector<Row> rows;  ///< the first one is the baseline
};

/// Pairs the results of each problem by kernel, in the order in which they come: measured ones
/// first, each with every simulated result of its kernel, then simulated ones that nothing was
/// measured for.
///
/// Measured fa3 with 1,400,000 counted cycles and simulated fa3 with 1,330,000 make one row with
/// cycles_deviation_ratio -0.05.
[[nodiscard]] std::vector<ProblemComparison> compare(const std::vector<core::Result>& results);
std::vector<ProblemComparison> compare(std::vector<core::Result>&&) = delete;

/// How many times faster `row` is than `baseline`, another row of the same problem.
[[nodiscard]] Speedup speedup_over(const Row& baseline, const Row& row);

}  // namespace fa3prof::analysis
