// Whether a build is slower than another: the rows of two reports in pairs, each with a verdict.
// Not: measured beside simulated (comparison.h), and whether two reports may be compared at all
// (comparability.h).
#pragma once

#include "src/analysis/row_ratio.h"
#include "src/core/report.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fa3prof::analysis {

/// By severity, the worst first.
enum class Verdict { kSlower, kMissing, kInconclusive, kSame, kFaster };

/// "slower", "missing", "inconclusive", "same", "faster".
[[nodiscard]] std::string_view name_of(Verdict verdict);

struct RegressionLimits {
  /// A ratio of new over base above one plus this is a regression.
  double max_regression_ratio = 0.03;
  /// Times and cycles are multiplied by the tensor peak of their own GPU before they are compared.
  bool normalises_by_peak = false;
};

/// One kernel (schedule included, which is part of its name) on one problem, in both reports or in
/// one. Pointers are into the reports given to find_regressions().
struct RegressionRow {
  const core::Result* base = nullptr;
  const core::Result* fresh = nullptr;
  Verdict verdict = Verdict::kMissing;
  /// A kernel that base timed and that failed verification in the new report.
  bool is_broken = false;
  RowRatio ratio = {};
  std::vector<std::string> notes = {};  ///< what a reader must know to trust the verdict

  /// Either of them; their kernels and problems are the same.
  [[nodiscard]] const core::Result& any() const { return base != nullptr ? *base : *fresh; }
};

struct Regression {
  RegressionLimits limits;
  /// By severity, then by how much slower; those that only the new report has come last.
  std::vector<RegressionRow> rows;

  [[nodiscard]] std::size_t count(Verdict verdict) const;
  /// A kernel is slower or broken: the build must fail.
  [[nodiscard]] bool has_regression() const;
  /// A row of base is missing, or no verdict could be reached.
  [[nodiscard]] bool is_undecided() const;
};

/// Below this many samples on either side no verdict is reached: they have no 95 % interval.
inline constexpr std::size_t kFewestSamples = 6;

/// The verdict on two rows that both have a time, by the rule below.
[[nodiscard]] Verdict verdict_on(const RowPair& pair, double max_regression_ratio);

/// Pairs the measured rows of both reports, or the simulated ones where neither measured any, by
/// kernel, problem and, when simulated, pipeline, machine and engine.
///
/// A kernel is slower only if time and cycles agree: one of the two lies beyond the limit with its
/// whole 95 % interval, the other beyond half of it. So a lower clock, which moves time alone, is
/// no slower kernel; and a kernel that idles more is one although a GPU at its power cap answers
/// with a higher clock, which hides a part of it from time. Faster is the mirror image. Where an
/// interval lies on both sides of a limit that matters, the verdict is inconclusive.
///
/// Worked example: at 3 %, time +5 % (+4.8 to +5.2) and cycles +4.9 % (+4.8 to +5.0) is slower;
/// time +5 % with cycles +0.1 % is same, and a note says that the clock was lower.
///
/// Throws UsageError where a report has a row twice, no row is in both, or a peak is missing that
/// is to normalise.
[[nodiscard]] Regression find_regressions(const core::Report& base, const core::Report& fresh,
                                          const RegressionLimits& limits);
Regression find_regressions(core::Report&&, const core::Report&, const RegressionLimits&) = delete;
Regression find_regressions(const core::Report&, core::Report&&, const RegressionLimits&) = delete;

}  // namespace fa3prof::analysis
