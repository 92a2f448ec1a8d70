#include "src/core/version.h"
#include "src/report/history_text.h"
#include "src/report/json.h"
#include "src/report/origin_json.h"
#include "src/report/series_name.h"

namespace fa3prof::report {
namespace {

using analysis::HistoryPoint;
using analysis::HistorySeries;
using core::Json;

constexpr int kSchemaVersion = 1;

Json point_json(const HistoryPoint& point) {
  Json json{{"report", point.report}, {"time_us", *point.result->time_us}};
  if (const auto& timing = point.result->timing) {
    json["time_ci95_us"] = {{"lower", timing->median_ci95_us.lower},
                            {"upper", timing->median_ci95_us.upper}};
  }
  if (point.result->tflops) json["tflops"] = *point.result->tflops;
  if (point.result->cycles) json["cycles"] = *point.result->cycles;
  json["change_ratio"] = point.change_ratio;
  json["is_change"] = point.is_change;
  if (point.level_change_ratio) json["level_change_ratio"] = *point.level_change_ratio;
  return json;
}

Json series_json(const HistorySeries& series) {
  const core::Result& first = series.first();
  Json json{{"name", series_name(first)},
            {"kernel", first.kernel},
            {"source", core::name_of(first.source)}};
  if (!first.pipeline.empty()) json["pipeline"] = first.pipeline;
  if (!first.machine.empty()) json["machine"] = first.machine;
  json["problem"] = to_json(first.problem);
  if (!series.conditions.empty()) json["conditions"] = series.conditions;
  json["points"] = Json::array();
  for (const HistoryPoint& point : series.points) json["points"].push_back(point_json(point));
  return json;
}

}  // namespace

Json history_json(const HistoryView& view) {
  Json document{
      {"schema_version", kSchemaVersion},   {"tool_version", core::tool_version()},
      {"tool_commit", core::tool_commit()}, {"max_regression_ratio", view.max_regression_ratio},
      {"reports", Json::array()},           {"series", Json::array()},
      {"warnings", view.warnings}};
  for (const NamedReport& named : view.reports) document["reports"].push_back(origin_json(named));
  for (const HistorySeries& series : view.series) {
    document["series"].push_back(series_json(series));
  }
  require_finite(document);
  return document;
}

}  // namespace fa3prof::report
