#include "src/analysis/fleet.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>

namespace fa3prof::analysis {
namespace {

using core::Result;

constexpr double kToMention = 0.01;  // of clock and cycles

void set_against_median(FleetGroup& group) {
  std::vector<FleetRow*> timed;
  for (FleetRow& row : group.rows) {
    if (is_timed(row.result)) timed.push_back(&row);
  }
  if (timed.empty()) return;
  std::ranges::stable_sort(timed, {}, [](const FleetRow* row) { return *row->result->time_us; });
  FleetRow& median = *timed[(timed.size() - 1) / 2];
  median.is_median = true;
  for (FleetRow* row : timed) {
    row->ratio = ratio_of({.base = median.result, .fresh = row->result});
    const auto& time = row->ratio.time;
    row->lags = !row->is_median && time && time->ci95.lower > 1.0 + kLagRatio;
  }
}

const Result& median_of(const FleetGroup& group) {
  return *std::ranges::find(group.rows, true, &FleetRow::is_median)->result;
}

void add_clock(const RowRatio& ratio, std::vector<std::string>& causes) {
  const double cycles = ratio.cycles->median - 1.0;
  const double clock = ratio.cycles->median / ratio.time->median - 1.0;
  if (clock < -kToMention)
    causes.push_back(fmt::format("its clock is {:.1f} % lower", -100 * clock));
  if (cycles > kToMention)
    causes.push_back(fmt::format("it takes {:.1f} % more cycles", 100 * cycles));
}

}  // namespace

std::vector<FleetGroup> fleet_of(const std::vector<Result>& results) {
  std::vector<FleetGroup> groups;
  for (const Result& result : results) {
    if (!result.device || result.source != core::ResultSource::kMeasured) continue;
    auto group = std::ranges::find_if(groups, [&result](const FleetGroup& known) {
      const Result& first = *known.rows.front().result;
      return first.kernel == result.kernel && first.problem == result.problem;
    });
    if (group == groups.end()) group = groups.insert(groups.end(), FleetGroup());
    group->rows.push_back({.result = &result});
  }
  for (FleetGroup& group : groups) set_against_median(group);
  return groups;
}

std::string why_it_lags(const FleetGroup& group, const FleetRow& row) {
  if (!row.lags) return "";
  std::vector<std::string> causes;
  if (row.ratio.cycles) add_clock(row.ratio, causes);
  const double limit = row.result->device->power_limit_watts;
  const double usual = median_of(group).device->power_limit_watts;
  if (limit != usual) {
    causes.push_back(fmt::format("its power limit is {:.0f} W against {:.0f} W", limit, usual));
  }
  return fmt::format("{}", fmt::join(causes, ", "));
}

std::vector<std::string> lag_warnings(const std::vector<FleetGroup>& fleet) {
  std::vector<std::string> warnings;
  for (const FleetGroup& group : fleet) {
    for (const FleetRow& row : group.rows) {
      if (!row.lags) continue;
      const std::string cause = why_it_lags(group, row);
      warnings.push_back(
          fmt::format("GPU {} ({}) lags: {} on {} takes {:.1f} % longer than on the median GPU{}",
                      row.result->device->index, row.result->device->uuid, row.result->kernel,
                      core::describe(row.result->problem), 100.0 * (row.ratio.time->median - 1.0),
                      cause.empty() ? "" : "; " + cause));
    }
  }
  return warnings;
}

}  // namespace fa3prof::analysis
