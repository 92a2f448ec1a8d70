#include "src/analysis/fleet.h"
#include "src/report/console.h"

#include <fmt/format.h>

namespace fa3prof::report {
namespace {

using analysis::FleetGroup;
using analysis::FleetRow;
using Align = Table::Align;

/// "+3.1 % (+2.9 to +3.3)".
std::string beyond_median(const std::optional<core::RatioInterval>& ratio) {
  if (!ratio) return "";
  return fmt::format("{} ({:+.1f} to {:+.1f})", signed_percent(ratio->median - 1.0),
                     100.0 * (ratio->ci95.lower - 1.0), 100.0 * (ratio->ci95.upper - 1.0));
}

std::string verdict_of(const FleetGroup& group, const FleetRow& row) {
  if (row.is_median) return "median";
  if (!row.lags) return row.ratio.time ? "" : "not timed";
  const std::string cause = analysis::why_it_lags(group, row);
  return cause.empty() ? "lags" : "lags: " + cause;
}

void add_gpu(Table& table, const FleetGroup& group, const FleetRow& row) {
  const core::Result& result = *row.result;
  const auto whole = [](double value) { return grouped(value, 0); };
  const auto clock = [&](double core::ClockRecord::*member) {
    return result.clocks ? whole((*result.clocks).*member) : std::string();
  };
  table.add_row({fmt::format("  GPU {} {}", result.device->index, result.device->uuid),
                 text_or_empty(result.time_us, [](double us) { return grouped(us, 1); }),
                 row.is_median ? "" : beyond_median(row.ratio.time),
                 row.is_median ? "" : beyond_median(row.ratio.cycles),
                 clock(&core::ClockRecord::sm_clock_mhz), clock(&core::ClockRecord::power_watts),
                 clock(&core::ClockRecord::temperature_celsius), verdict_of(group, row)},
                row.lags ? Tone::kBad : Tone::kPlain);
}

}  // namespace

std::string fleet_text(const core::Report& report, Colour colour) {
  const auto fleet = analysis::fleet_of(report.results);
  if (fleet.empty()) return "";
  Table table({{"", Align::kLeft},
               {"time us"},
               {"beside the median GPU"},
               {"in cycles"},
               {"SM MHz"},
               {"watts"},
               {"C"},
               {"", Align::kLeft}});
  for (const FleetGroup& group : fleet) {
    const core::Result& first = *group.rows.front().result;
    table.add_line(first.kernel + " " + core::describe(first.problem), Tone::kHeading);
    for (const FleetRow& row : group.rows) add_gpu(table, group, row);
  }
  return "\n" + table.text(colour);
}

}  // namespace fa3prof::report
