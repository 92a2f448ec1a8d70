#include "src/analysis/regression.h"

#include "src/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fa3prof::analysis {
namespace {

using core::RatioInterval;
using core::Result;

constexpr double kConfirming = 0.5;  ///< of the limit, that the other of time and cycles must pass
constexpr int kLastRank = 100;       ///< after every verdict
constexpr double kDriftToMention = 0.02;
constexpr double kClockToMention = 0.01;
constexpr std::string_view kSampled = "sampled";

/// What is known of a statement about an interval.
enum class Answer { kNo, kOpen, kYes };

/// Whether the ratio is above the bound.
Answer is_above(const RatioInterval& ratio, double bound) {
  if (ratio.ci95.lower > bound) return Answer::kYes;
  return ratio.ci95.upper <= bound ? Answer::kNo : Answer::kOpen;
}

Answer both(Answer a, Answer b) { return std::min(a, b); }

Answer either(Answer a, Answer b) { return std::max(a, b); }

/// Whether the second of two is slower than the first by more than `limit`.
Answer is_slower(const RatioInterval& time, const RatioInterval& cycles, double limit) {
  const double beyond = 1.0 + limit;
  const double confirmed = 1.0 + kConfirming * limit;
  return either(both(is_above(time, beyond), is_above(cycles, confirmed)),
                both(is_above(cycles, beyond), is_above(time, confirmed)));
}

RatioInterval inverse(const RatioInterval& ratio) {
  return {.median = 1.0 / ratio.median, .ci95 = {1.0 / ratio.ci95.upper, 1.0 / ratio.ci95.lower}};
}

bool is_measured(const Result& result) { return result.source == core::ResultSource::kMeasured; }

bool has_failed(const Result& result) {
  return result.verification && !result.verification->passed;
}

std::size_t samples_of(const Result& result) {
  return result.timing ? result.timing->samples_us.size() : 0;
}

Verdict verdict_of(const RatioInterval& time, const RatioInterval& cycles, double limit) {
  switch (is_slower(time, cycles, limit)) {
    case Answer::kYes:
      return Verdict::kSlower;
    case Answer::kOpen:
      return Verdict::kInconclusive;
    case Answer::kNo:
      break;
  }
  const Answer is_faster = is_slower(inverse(time), inverse(cycles), limit);
  return is_faster == Answer::kYes ? Verdict::kFaster : Verdict::kSame;
}

void judge(RegressionRow& row, double limit) {
  const std::size_t fewest = std::min(samples_of(*row.base), samples_of(*row.fresh));
  if (!row.ratio.time || (is_measured(*row.base) && fewest < kFewestSamples)) {
    row.verdict = Verdict::kInconclusive;
    row.notes.push_back(fmt::format("{} sample{}: an interval takes at least {}", fewest,
                                    fewest == 1 ? "" : "s", kFewestSamples));
  } else if (row.ratio.cycles) {
    row.verdict = verdict_of(*row.ratio.time, *row.ratio.cycles, limit);
  } else {
    row.verdict = verdict_of(*row.ratio.time, *row.ratio.time, limit);
    if (row.verdict != Verdict::kSlower) return;
    row.verdict = Verdict::kInconclusive;
    row.notes.emplace_back("slower in time, but without cycles it may be the clock");
  }
}

void note_clock(const RowRatio& ratio, std::vector<std::string>& notes) {
  if (!ratio.time || !ratio.cycles || ratio.cycles_basis != kSampled) return;
  const double clock = ratio.cycles->median / ratio.time->median;
  if (std::abs(clock - 1.0) < kClockToMention) return;
  notes.push_back(fmt::format("the clock was {:.1f} % {}", std::abs(clock - 1.0) * 100.0,
                              clock < 1.0 ? "lower" : "higher"));
}

void note_drift(const char* which, const Result& result, std::vector<std::string>& notes) {
  if (!result.timing) return;
  const double drift = core::drift_ratio(result.timing->samples_us);
  if (std::abs(drift) < kDriftToMention) return;
  notes.push_back(fmt::format("{} drifted by {:+.1f} % while timing", which, drift * 100.0));
}

void note_company(RegressionRow& row) {
  if (!row.base->timing || !row.fresh->timing) return;
  const auto& base = row.base->timing->in_turn;
  const auto& fresh = row.fresh->timing->in_turn;
  if (base.empty() || fresh.empty() || base == fresh) return;
  row.notes.emplace_back("timed in turn with other kernels than base");
}

void add_notes(RegressionRow& row) {
  note_drift("base", *row.base, row.notes);
  note_drift("new", *row.fresh, row.notes);
  note_company(row);
}

/// Why a row has no time.
std::string why_untimed(const Result* result, const char* which) {
  if (result == nullptr) return fmt::format("not in {}", which);
  if (has_failed(*result)) {
    return fmt::format("failed verification in {}: {}", which, result->verification->failure);
  }
  if (!result->unsupported_reason.empty()) {
    return fmt::format("not run in {}: {}", which, result->unsupported_reason);
  }
  return fmt::format("no time in {}", which);
}

RegressionRow row_of(const RowPair& pair) {
  RegressionRow row{.base = pair.base, .fresh = pair.fresh};
  if (is_timed(pair.base) && is_timed(pair.fresh)) return row;
  const bool is_gone = !is_timed(pair.fresh);
  row.is_broken = is_gone && pair.fresh != nullptr && has_failed(*pair.fresh);
  row.notes.push_back(is_gone ? why_untimed(pair.fresh, "new") : why_untimed(pair.base, "base"));
  return row;
}

void sort_by_severity(std::vector<RegressionRow>& rows) {
  const auto rank = [](const RegressionRow& row) {
    if (row.is_broken) return -1;
    const bool is_added = row.verdict == Verdict::kMissing && is_timed(row.fresh);
    return is_added ? kLastRank : static_cast<int>(row.verdict);
  };
  const auto slowness = [](const RegressionRow& row) {
    return row.ratio.time ? row.ratio.time->median : 0.0;
  };
  std::ranges::stable_sort(rows, [&](const RegressionRow& a, const RegressionRow& b) {
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    return slowness(a) > slowness(b);
  });
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kSlower:
      return "slower";
    case Verdict::kMissing:
      return "missing";
    case Verdict::kInconclusive:
      return "inconclusive";
    case Verdict::kSame:
      return "same";
    case Verdict::kFaster:
      return "faster";
  }
  throw core::UsageError("unknown verdict");
}

std::size_t Regression::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::ranges::count(rows, verdict, &RegressionRow::verdict));
}

bool Regression::has_regression() const {
  return std::ranges::any_of(rows, [](const RegressionRow& row) {
    return row.is_broken || row.verdict == Verdict::kSlower;
  });
}

bool Regression::is_undecided() const {
  return std::ranges::any_of(rows, [](const RegressionRow& row) {
    const bool has_vanished = row.verdict == Verdict::kMissing && !is_timed(row.fresh);
    return has_vanished || row.verdict == Verdict::kInconclusive;
  });
}

Verdict verdict_on(const RowPair& pair, double max_regression_ratio) {
  RegressionRow row{.base = pair.base, .fresh = pair.fresh, .ratio = ratio_of(pair)};
  judge(row, max_regression_ratio);
  return row.verdict;
}

Regression find_regressions(const core::Report& base, const core::Report& fresh,
                            const RegressionLimits& limits) {
  Regression regression{.limits = limits, .rows = {}};
  for (const RowPair& pair : pair_rows(base, fresh)) {
    RegressionRow row = row_of(pair);
    if (is_timed(pair.base) && is_timed(pair.fresh)) {
      RowRatio ratio = ratio_of(pair);
      note_clock(ratio, row.notes);
      if (limits.normalises_by_peak) ratio = normalised_by_peak(ratio, pair, base, fresh);
      row.ratio = std::move(ratio);
      judge(row, limits.max_regression_ratio);
      add_notes(row);
    }
    regression.rows.push_back(std::move(row));
  }
  const bool is_any_paired = std::ranges::any_of(
      regression.rows, [](const auto& row) { return row.base != nullptr && row.fresh != nullptr; });
  if (!is_any_paired) {
    throw core::UsageError(
        "no kernel was timed on the same problem in both reports; compare runs of one sweep");
  }
  sort_by_severity(regression.rows);
  return regression;
}

}  // namespace fa3prof::analysis
