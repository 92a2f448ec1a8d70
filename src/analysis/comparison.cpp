#include "src/analysis/comparison.h"

#include "src/core/statistics.h"

#include <fmt/format.h>

#include <algorithm>

namespace fa3prof::analysis {
namespace {

using core::Result;
using core::ResultSource;

constexpr std::size_t kFewestRounds = 6;  // fewer have no 95 % interval

bool is_measured(const Result& result) { return result.source == ResultSource::kMeasured; }

/// numerator / denominator, where both are there and the denominator is no zero.
std::optional<double> ratio(const std::optional<double>& numerator,
                            const std::optional<double>& denominator) {
  if (!numerator || !denominator || *denominator == 0.0) return std::nullopt;
  return *numerator / *denominator;
}

std::optional<double> deviation(const std::optional<double>& simulated,
                                const std::optional<double>& measured) {
  const auto quotient = ratio(simulated, measured);
  return quotient ? std::optional<double>(*quotient - 1.0) : std::nullopt;
}

/// Counted cycles where there are any, else what time and the clock of the same launches give.
void fill_measured_cycles(Row& row) {
  const Result& measured = *row.measured;
  if (measured.cycles) {
    row.measured_cycles = measured.cycles;
    row.measured_cycles_basis = "counted";
  } else if (measured.time_us && measured.clocks && measured.clocks->sm_clock_mhz > 0.0) {
    row.measured_cycles = *measured.time_us * measured.clocks->sm_clock_mhz;
    row.measured_cycles_basis = fmt::format("time x {:.0f} MHz", measured.clocks->sm_clock_mhz);
  }
}

Row make_row(const Result* measured, const Result* simulated) {
  Row row;
  row.label = core::row_label(measured != nullptr ? *measured : *simulated);
  row.measured = measured;
  row.simulated = simulated;
  if (measured != nullptr) fill_measured_cycles(row);
  if (measured != nullptr && simulated != nullptr) {
    row.cycles_deviation_ratio = deviation(simulated->cycles, row.measured_cycles);
    row.time_deviation_ratio = deviation(simulated->time_us, measured->time_us);
  }
  return row;
}

std::vector<Row> pair_up(const std::vector<const Result*>& results) {
  std::vector<Row> rows;
  for (const Result* measured : results) {
    if (!is_measured(*measured)) continue;
    const std::size_t rows_before = rows.size();
    for (const Result* simulated : results) {
      if (is_measured(*simulated) || simulated->kernel != measured->kernel) continue;
      rows.push_back(make_row(measured, simulated));
    }
    if (rows.size() == rows_before) rows.push_back(make_row(measured, nullptr));
  }
  for (const Result* simulated : results) {
    const bool is_paired = std::ranges::any_of(
        rows, [simulated](const Row& row) { return row.simulated == simulated; });
    if (!is_measured(*simulated) && !is_paired) rows.push_back(make_row(nullptr, simulated));
  }
  return rows;
}

/// Rows that would share a label are told apart by pipeline, then by machine.
void make_labels_unique(std::vector<Row>& rows) {
  const auto is_shared = [&rows](const Row& row) {
    return std::ranges::count(rows, row.label, &Row::label) > 1;
  };
  const auto relabel = [&](auto label_of) {
    std::vector<Row*> shared;
    for (Row& row : rows) {
      if (row.simulated != nullptr && is_shared(row)) shared.push_back(&row);
    }
    for (Row* row : shared) row->label = label_of(*row->simulated);
  };
  relabel([](const Result& result) { return result.pipeline; });
  relabel([](const Result& result) { return result.pipeline + " on " + result.machine; });
}

std::optional<double> time_of(const Result* result) {
  return result == nullptr ? std::nullopt : result->time_us;
}

std::optional<double> cycles_of(const Result* result) {
  return result == nullptr ? std::nullopt : result->cycles;
}

Speedup speedup_of_medians(const Row& baseline, const Row& row) {
  return {.baseline = baseline.label,
          .measured_time_ratio = ratio(time_of(baseline.measured), time_of(row.measured)),
          .measured_time_ratio_ci95 = std::nullopt,
          .measured_cycles_ratio = ratio(baseline.measured_cycles, row.measured_cycles),
          .simulated_time_ratio = ratio(time_of(baseline.simulated), time_of(row.simulated)),
          .simulated_cycles_ratio = ratio(cycles_of(baseline.simulated), cycles_of(row.simulated))};
}

/// Ratios of each round, where both have the same number of them and enough for an interval.
std::optional<core::RatioInterval> paired_speedup(const Result* baseline, const Result* result) {
  if (baseline == nullptr || result == nullptr) return std::nullopt;
  if (!baseline->time_us || !result->time_us) return std::nullopt;
  if (!baseline->timing || !result->timing) return std::nullopt;
  const auto& slow = baseline->timing->samples_us;
  const auto& fast = result->timing->samples_us;
  const bool has_zero = std::ranges::find(fast, 0.0) != fast.end();
  if (slow.size() != fast.size() || fast.size() < kFewestRounds || has_zero) return std::nullopt;
  return core::paired_ratio(slow, fast);
}

}  // namespace

Speedup speedup_over(const Row& baseline, const Row& row) {
  Speedup speedup = speedup_of_medians(baseline, row);
  if (const auto paired = paired_speedup(baseline.measured, row.measured)) {
    speedup.measured_time_ratio = paired->median;
    speedup.measured_time_ratio_ci95 = paired->ci95;
  }
  return speedup;
}

namespace {

/// Over the first row of the same GPU.
void add_speedups(std::vector<Row>& rows) {
  const auto any = [](const Row& row) -> const Result& {
    return row.measured != nullptr ? *row.measured : *row.simulated;
  };
  for (Row& row : rows) {
    const auto baseline = std::ranges::find_if(
        rows, [&](const Row& other) { return core::is_same_device(any(other), any(row)); });
    if (&*baseline != &row) row.speedup = speedup_over(*baseline, row);
  }
}

}  // namespace

std::vector<ProblemComparison> compare(const std::vector<Result>& results) {
  std::vector<core::AttentionProblem> problems;
  for (const Result& result : results) {
    if (std::ranges::find(problems, result.problem) == problems.end()) {
      problems.push_back(result.problem);
    }
  }
  std::vector<ProblemComparison> comparisons;
  for (const core::AttentionProblem& problem : problems) {
    std::vector<const Result*> same_problem;
    for (const Result& result : results) {
      if (result.problem == problem) same_problem.push_back(&result);
    }
    std::vector<Row> rows = pair_up(same_problem);
    make_labels_unique(rows);
    add_speedups(rows);
    comparisons.push_back({.problem = problem, .rows = std::move(rows)});
  }
  return comparisons;
}

}  // namespace fa3prof::analysis
