#include "src/analysis/history.h"

#include "src/analysis/comparability.h"
#include "src/analysis/regression.h"
#include "src/analysis/row_pairs.h"
#include "src/core/change_points.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

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

double time_of(const HistoryPoint& point) { return *point.result->time_us; }

/// The report that stands for a level: the median one, of two in the middle the one nearer to
/// `before`, so that one odd report of two is not taken for both.
const Result* representative(std::span<const HistoryPoint> level, const Result* before) {
  std::vector<const HistoryPoint*> order;
  for (const HistoryPoint& point : level) order.push_back(&point);
  std::ranges::stable_sort(order, {}, [](const HistoryPoint* point) { return time_of(*point); });
  const std::size_t upper = order.size() / 2;
  const std::size_t lower = (order.size() - 1) / 2;
  if (before == nullptr) return order[lower]->result;
  const auto distance = [&](std::size_t i) {
    return std::abs(std::log(time_of(*order[i]) / *before->time_us));
  };
  return order[distance(lower) <= distance(upper) ? lower : upper]->result;
}

/// Where the levels of a series begin. A simulated time has no noise: each is a level.
std::vector<std::size_t> level_begins(const HistorySeries& series) {
  std::vector<std::size_t> begins;
  if (series.first().source != core::ResultSource::kMeasured) {
    for (std::size_t i = 1; i < series.points.size(); ++i) begins.push_back(i);
    return begins;
  }
  std::vector<double> logarithms;
  for (const HistoryPoint& point : series.points) logarithms.push_back(std::log(time_of(point)));
  return core::change_points(logarithms);
}

/// Marks a level where it is a change from `reference`, and gives
/// the reference of what follows.
const Result* mark_level(std::span<HistoryPoint> level, const Result* reference,
                         double max_regression_ratio) {
  const Result* middle = representative(level, reference);
  const Verdict verdict = verdict_on({.base = reference, .fresh = middle}, max_regression_ratio);
  const bool is_change = verdict == Verdict::kSlower || verdict == Verdict::kFaster;
  if (is_change) {
    level.front().is_change = true;
    level.front().level_change_ratio = *middle->time_us / *reference->time_us - 1.0;
    reference = middle;
  }
  for (HistoryPoint& point : level) point.change_ratio = time_of(point) / *reference->time_us - 1.0;
  return reference;
}

void mark_changes(HistorySeries& series, double max_regression_ratio) {
  const std::span<HistoryPoint> points(series.points);
  std::vector<std::size_t> begins = level_begins(series);
  begins.push_back(points.size());
  const Result* reference = representative(points.first(begins.front()), nullptr);
  for (HistoryPoint& point : points.first(begins.front())) {
    point.change_ratio = time_of(point) / *reference->time_us - 1.0;
  }
  for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
    const auto level = points.subspan(begins[i], begins[i + 1] - begins[i]);
    reference = mark_level(level, reference, max_regression_ratio);
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
