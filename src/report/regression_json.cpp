#include "src/core/version.h"
#include "src/report/json.h"
#include "src/report/origin_json.h"
#include "src/report/regression_text.h"

namespace fa3prof::report {
namespace {

using analysis::Regression;
using analysis::RegressionRow;
using analysis::Verdict;
using core::Json;

constexpr int kSchemaVersion = 1;

void put_ratio(Json& json, const std::string& key,
               const std::optional<core::RatioInterval>& ratio) {
  if (!ratio) return;
  json[key + "_ratio"] = ratio->median;
  json[key + "_ratio_ci95"] = {{"lower", ratio->ci95.lower}, {"upper", ratio->ci95.upper}};
}

Json row_json(const RegressionRow& row) {
  const core::Result& any = row.any();
  Json json{{"verdict", analysis::name_of(row.verdict)},
            {"is_broken", row.is_broken},
            {"kernel", any.kernel},
            {"source", core::name_of(any.source)}};
  if (!any.pipeline.empty()) json["pipeline"] = any.pipeline;
  if (!any.machine.empty()) json["machine"] = any.machine;
  if (any.device) json["device_index"] = any.device->index;
  json["problem"] = to_json(any.problem);
  if (row.base != nullptr && row.base->time_us) json["base_time_us"] = *row.base->time_us;
  if (row.fresh != nullptr && row.fresh->time_us) json["new_time_us"] = *row.fresh->time_us;
  put_ratio(json, "time", row.ratio.time);
  put_ratio(json, "cycles", row.ratio.cycles);
  if (!row.ratio.cycles_basis.empty()) json["cycles_basis"] = row.ratio.cycles_basis;
  json["notes"] = row.notes;
  return json;
}

Json counts_json(const Regression& regression) {
  Json counts = Json::object();
  for (const Verdict verdict : {Verdict::kSlower, Verdict::kMissing, Verdict::kInconclusive,
                                Verdict::kSame, Verdict::kFaster}) {
    counts[std::string(analysis::name_of(verdict))] = regression.count(verdict);
  }
  return counts;
}

}  // namespace

Json regression_json(const RegressionView& view) {
  const Regression& regression = view.regression;
  Json document{{"schema_version", kSchemaVersion},
                {"tool_version", core::tool_version()},
                {"tool_commit", core::tool_commit()},
                {"base", origin_json(view.base)},
                {"new", origin_json(view.fresh)},
                {"max_regression_ratio", regression.limits.max_regression_ratio},
                {"is_normalised_by_peak", regression.limits.normalises_by_peak},
                {"has_regression", regression.has_regression()},
                {"is_undecided", regression.is_undecided()},
                {"counts", counts_json(regression)},
                {"rows", Json::array()},
                {"warnings", view.warnings}};
  for (const RegressionRow& row : regression.rows) document["rows"].push_back(row_json(row));
  require_finite(document);
  return document;
}

}  // namespace fa3prof::report
