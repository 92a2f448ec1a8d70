#include "src/analysis/ranking.h"

namespace fa3prof::analysis {
namespace {

/// Two series that are ranked against each other.
struct Series {
  std::vector<double> predicted;
  std::vector<double> measured;

  void add(double one, double other) {
    predicted.push_back(one);
    measured.push_back(other);
  }

  [[nodiscard]] core::PairCounts pairs() const { return core::count_pairs(predicted, measured); }
};

bool is_ranked(const Row& row) {
  return row.measured != nullptr && row.simulated != nullptr && row.measured->time_us &&
         row.simulated->time_us;
}

}  // namespace

Ranking ranking_of(const std::vector<std::vector<ProblemComparison>>& reports) {
  Ranking ranking;
  for (const std::vector<ProblemComparison>& comparisons : reports) {
    Series by_tflops;
    for (const ProblemComparison& comparison : comparisons) {
      Series by_time;
      for (const Row& row : comparison.rows) {
        if (!is_ranked(row)) continue;
        const double predicted_us = *row.simulated->time_us;
        const double measured_us = *row.measured->time_us;
        const double flops = core::flops_convention(comparison.problem);
        by_time.add(predicted_us, measured_us);
        by_tflops.add(flops / predicted_us, flops / measured_us);
        ranking.rows.push_back({.label = row.label,
                                .problem = comparison.problem,
                                .predicted_us = predicted_us,
                                .measured_us = measured_us});
      }
      ranking.same_problem += by_time.pairs();
      if (by_time.predicted.size() > 1) ++ranking.problems;
    }
    ranking.all_rows += by_tflops.pairs();
  }
  return ranking;
}

}  // namespace fa3prof::analysis
