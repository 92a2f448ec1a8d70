// How well the model ranks kernels that were measured. Not: how far its times are off
// (validation.h).
#pragma once

#include "src/analysis/comparison.h"
#include "src/core/statistics.h"

#include <string>
#include <vector>

namespace fa3prof::analysis {

/// A kernel on a problem, by the model and by measurement.
struct RankedRow {
  std::string label;
  core::AttentionProblem problem;
  double predicted_us = 0.0;
  double measured_us = 0.0;
};

struct Ranking {
  std::vector<RankedRow> rows;
  core::PairCounts same_problem;  ///< pairs of kernels on one problem, which a choice is between
  core::PairCounts all_rows;      ///< all pairs, by TFLOPS, whatever their problems
  std::size_t problems = 0;       ///< with at least two kernels
};

/// Of the rows that were both measured and simulated; pairs are only made within one of the reports
/// that the comparisons are of.
[[nodiscard]] Ranking ranking_of(const std::vector<std::vector<ProblemComparison>>& reports);

}  // namespace fa3prof::analysis
