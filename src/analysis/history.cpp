#include "src/analysis/history.h"

#include "src/analysis/comparability.h"
#include "src/analysis/regression.h"
#include "src/analysis/row_pairs.h"

#include <algorithm>
#include <numeric>

namespace fa3prof::analysis {
namespace {

using core::Report;
using core::Result;

/// What a row was measured under; empty for simulated rows.
std::string conditions_of(const Report& report, const Result& result) {
  if (result.source != core::ResultSource::kMeasured) return "";
  std::string text = report.environment.gpu ? gpu_kind(*report.environment.gpu) : "unknown GPU";
  if (!result.timing) return text;
  text += ", " + result.timing->cache + " L2";
  if (result.timing->method) text += ", method " + core::fingerprint(*result.timing->method);
  return text;
}

HistorySeries& series_of(std::vector<HistorySeries>& all, const std::string& conditions,
                         const Result& result) {
  const auto known = std::ranges::find_if(all, [&](const HistorySeries& series) {
    return series.conditions == conditions && is_same_row(series.first(), result);
  });
  if (known != all.end()) return *known;
  return all.emplace_back(HistorySeries{.conditions = conditions, .points = {}});
}

void mark_changes(HistorySeries& series, double max_regression_ratio) {
  const Result* reference = &series.first();
  for (std::size_t i = 1; i < series.points.size(); ++i) {
    HistoryPoint& point = series.points[i];
    point.change_ratio = *point.result->time_us / *reference->time_us - 1.0;
    const Verdict verdict =
        verdict_on({.base = reference, .fresh = point.result}, max_regression_ratio);
    point.is_change = verdict == Verdict::kSlower || verdict == Verdict::kFaster;
    if (point.is_change) reference = point.result;
  }
}

}  // namespace

std::vector<std::size_t> in_time(const std::vector<const Report*>& reports) {
  std::vector<std::size_t> order(reports.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // ISO 8601 in UTC sorts as text.
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return reports[i]->created_at; });
  return order;
}

std::vector<HistorySeries> history_of(const std::vector<const Report*>& reports,
                                      double max_regression_ratio) {
  std::vector<HistorySeries> all;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    for (const Result& result : reports[i]->results) {
      if (!is_timed(&result)) continue;
      HistorySeries& series = series_of(all, conditions_of(*reports[i], result), result);
      series.points.push_back({.report = i, .result = &result});
    }
  }
  for (HistorySeries& series : all) mark_changes(series, max_regression_ratio);
  return all;
}

}  // namespace fa3prof::analysis
