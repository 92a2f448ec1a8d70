#include "src/analysis/row_pairs.h"

#include "src/core/error.h"

#include <algorithm>
#include <string>

namespace fa3prof::analysis {
namespace {

using core::Report;
using core::Result;

bool is_measured(const Result& result) { return result.source == core::ResultSource::kMeasured; }

std::vector<const Result*> rows_of(const Report& report, bool wants_measured) {
  std::vector<const Result*> rows;
  for (const Result& result : report.results) {
    if (is_measured(result) != wants_measured) continue;
    const bool is_there_twice = std::ranges::any_of(
        rows, [&result](const Result* row) { return is_same_row(*row, result); });
    if (is_there_twice) {
      throw core::UsageError("the report of " + report.created_at + " has " + result.kernel +
                             " on " + core::describe(result.problem) +
                             " twice; compare reports that have each row once");
    }
    rows.push_back(&result);
  }
  return rows;
}

}  // namespace

bool is_timed(const Result* row) { return row != nullptr && row->time_us.value_or(0.0) > 0.0; }

bool is_same_row(const Result& a, const Result& b) {
  return a.source == b.source && a.kernel == b.kernel && a.problem == b.problem &&
         a.pipeline == b.pipeline && a.machine == b.machine && core::is_same_device(a, b);
}

std::vector<RowPair> pair_rows(const Report& base, const Report& fresh) {
  const bool wants_measured = std::ranges::any_of(base.results, is_measured) ||
                              std::ranges::any_of(fresh.results, is_measured);
  std::vector<RowPair> pairs;
  for (const Result* row : rows_of(base, wants_measured)) pairs.push_back({.base = row});
  for (const Result* row : rows_of(fresh, wants_measured)) {
    const auto same = std::ranges::find_if(pairs, [row](const RowPair& pair) {
      return pair.base != nullptr && is_same_row(*pair.base, *row);
    });
    if (same == pairs.end()) {
      pairs.push_back({.fresh = row});
    } else {
      same->fresh = row;
    }
  }
  std::erase_if(pairs,
                [](const RowPair& pair) { return !is_timed(pair.base) && !is_timed(pair.fresh); });
  return pairs;
}

}  // namespace fa3prof::analysis
