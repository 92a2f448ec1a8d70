#include "src/report/history_text.h"

#include "src/report/markdown_cell.h"
#include "src/report/series_name.h"

#include <fmt/format.h>

#include <optional>

namespace fa3prof::report {
namespace {

using analysis::HistoryPoint;
using analysis::HistorySeries;
using Align = Table::Align;

double since_first(const HistorySeries& series) {
  return *series.last().time_us / *series.first().time_us - 1.0;
}

std::string change_text(const HistoryPoint& point, const NamedReport& named) {
  return fmt::format("{} since {}, {}, commit {}", signed_percent(*point.level_change_ratio),
                     named.name, named.report.created_at, named.report.environment.tool_commit);
}

Tone tone_of(const HistoryPoint& point) {
  return *point.level_change_ratio > 0.0 ? Tone::kBad : Tone::kGood;
}

std::string span_text(const HistoryView& view) {
  const NamedReport& first = view.reports.front();
  const NamedReport& last = view.reports.back();
  return fmt::format(
      "{} report{} from {} to {}; a change is more than {}, for at least "
      "two reports and, at the 5 % level, not by chance",
      view.reports.size(), view.reports.size() == 1 ? "" : "s", first.report.created_at,
      last.report.created_at, percent(view.max_regression_ratio));
}

std::string changes_cell(const HistorySeries& series, const HistoryView& view) {
  std::string text;
  for (const HistoryPoint& point : series.points) {
    if (!point.is_change) continue;
    if (!text.empty()) text += "<br>";
    text += markdown_escaped(change_text(point, view.reports[point.report]));
  }
  return text;
}

}  // namespace

std::string history_text(const HistoryView& view, Colour colour) {
  Table table({{"series", Align::kLeft},
               {"reports", Align::kRight},
               {"first us", Align::kRight},
               {"last us", Align::kRight},
               {"since first", Align::kRight}});
  std::optional<std::string> conditions;
  for (const HistorySeries& series : view.series) {
    if (series.conditions != conditions) {
      conditions = series.conditions;
      table.add_line(conditions->empty() ? "simulated" : *conditions, Tone::kHeading);
    }
    table.add_row({series_name(series.first()), std::to_string(series.points.size()),
                   grouped(*series.first().time_us, 1), grouped(*series.last().time_us, 1),
                   signed_percent(since_first(series))});
    for (const HistoryPoint& point : series.points) {
      if (!point.is_change) continue;
      table.add_line("  " + change_text(point, view.reports[point.report]), tone_of(point));
    }
  }
  std::string text = table.text(colour) + "\n" + span_text(view) + "\n";
  for (const std::string& warning : view.warnings) {
    text += paint("warning", Tone::kWarning, colour) + "  " + warning + "\n";
  }
  return text;
}

std::string history_markdown(const HistoryView& view) {
  std::string text =
      "| series | conditions | reports | first us | last us | since first | changes |\n"
      "|---|---|---:|---:|---:|---:|---|\n";
  for (const HistorySeries& series : view.series) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n",
                        markdown_escaped(series_name(series.first())),
                        markdown_escaped(series.conditions), series.points.size(),
                        grouped(*series.first().time_us, 1), grouped(*series.last().time_us, 1),
                        signed_percent(since_first(series)), changes_cell(series, view));
  }
  text += "\n" + span_text(view) + "\n";
  for (const std::string& warning : view.warnings) {
    text += "- warning: " + markdown_escaped(warning) + "\n";
  }
  return text;
}

}  // namespace fa3prof::report
