#include "src/analysis/what_if.h"

#include "sim/what_if.h"

#include <algorithm>

namespace fa3prof::analysis {
namespace {

using core::Result;

bool is_changed(const Result& result) {
  return sim::unchanged_name(result.machine) != result.machine ||
         sim::unchanged_name(result.pipeline) != result.pipeline;
}

const Result* base_of(const core::Report& report, const Result& changed) {
  const auto base = std::ranges::find_if(report.results, [&changed](const Result& result) {
    return result.problem == changed.problem && result.source == changed.source &&
           result.machine == sim::unchanged_name(changed.machine) &&
           result.pipeline == sim::unchanged_name(changed.pipeline);
  });
  return base == report.results.end() ? nullptr : &*base;
}

std::optional<double> ratio(const std::optional<double>& changed,
                            const std::optional<double>& base) {
  if (!changed || !base || *base == 0.0) return std::nullopt;
  return *changed / *base;
}

}  // namespace

std::vector<WhatIfRow> what_if_rows(const core::Report& report) {
  std::vector<WhatIfRow> rows;
  if (report.what_if.empty()) return rows;
  for (const Result& result : report.results) {
    if (!is_changed(result)) continue;
    const Result* base = base_of(report, result);
    if (base == nullptr) continue;
    rows.push_back({.base = base,
                    .changed = &result,
                    .cycles_ratio = ratio(result.cycles, base->cycles),
                    .time_ratio = ratio(result.time_us, base->time_us)});
  }
  return rows;
}

}  // namespace fa3prof::analysis
