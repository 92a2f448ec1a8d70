#include "src/analysis/comparison.h"
#include "src/analysis/fleet.h"
#include "src/analysis/stage_breakdown.h"
#include "src/analysis/what_if.h"
#include "src/core/error.h"
#include "src/report/generations_json.h"
#include "src/report/json.h"
#include "src/report/json_writer.h"

#include <cmath>
#include <optional>
#include <vector>

namespace fa3prof::report {
namespace {

using core::Json;

constexpr const char* kMeanErrorKey = "mean_absolute_error_ratio";
constexpr const char* kMaxErrorKey = "max_absolute_error_ratio";

/// Which row of a comparison a derived entry speaks of.
Writer identify(const analysis::Row& row, const core::AttentionProblem& problem) {
  const core::Result& any = row.measured != nullptr ? *row.measured : *row.simulated;
  Writer writer;
  writer.required("kernel", any.kernel);
  if (row.simulated != nullptr) {
    writer.optional("pipeline", row.simulated->pipeline);
    writer.optional("machine", row.simulated->machine);
    writer.required("source", row.simulated->source);
  }
  if (any.device) writer.required("device_index", any.device->index);
  writer.required("problem", problem);
  return writer;
}

Json share_comparisons(const analysis::Row& row) {
  Json list = Json::array();
  for (const auto& share : analysis::compare_shares(*row.measured, *row.simulated)) {
    Writer writer;
    writer.required("category", share.category);
    writer.required("measured_ratio", share.measured_ratio);
    writer.required("simulated_ratio", share.simulated_ratio);
    writer.required("difference_ratio", share.difference_ratio());
    list.push_back(writer.take());
  }
  return list;
}

Json deviations(const std::vector<analysis::ProblemComparison>& comparisons) {
  Json list = Json::array();
  for (const auto& comparison : comparisons) {
    for (const analysis::Row& row : comparison.rows) {
      if (!row.cycles_deviation_ratio && !row.time_deviation_ratio) continue;
      Writer writer = identify(row, comparison.problem);
      writer.optional("measured_cycles", row.measured_cycles);
      writer.optional("measured_cycles_basis", row.measured_cycles_basis);
      writer.optional("simulated_cycles", row.simulated->cycles);
      writer.optional("cycles_deviation_ratio", row.cycles_deviation_ratio);
      writer.optional("time_deviation_ratio", row.time_deviation_ratio);
      list.push_back(writer.take());
      const Json shares = share_comparisons(row);
      if (!shares.empty()) list.back()["breakdown"] = shares;
    }
  }
  return list;
}

Json speedups(const std::vector<analysis::ProblemComparison>& comparisons) {
  Json list = Json::array();
  for (const auto& comparison : comparisons) {
    for (const analysis::Row& row : comparison.rows) {
      if (!row.speedup) continue;
      Writer writer = identify(row, comparison.problem);
      writer.required("baseline", row.speedup->baseline);
      writer.optional("measured_time_ratio", row.speedup->measured_time_ratio);
      writer.optional("measured_time_ratio_ci95", row.speedup->measured_time_ratio_ci95);
      writer.optional("measured_cycles_ratio", row.speedup->measured_cycles_ratio);
      writer.optional("simulated_time_ratio", row.speedup->simulated_time_ratio);
      writer.optional("simulated_cycles_ratio", row.speedup->simulated_cycles_ratio);
      list.push_back(writer.take());
    }
  }
  return list;
}

Json fleet_row_json(const analysis::FleetRow& row) {
  Writer writer;
  writer.required("kernel", row.result->kernel);
  writer.required("problem", row.result->problem);
  writer.required("device", *row.result->device);
  writer.required("is_median", row.is_median);
  writer.required("lags", row.lags);
  const auto put_ratio = [&writer](const char* key, const char* interval, const auto& ratio) {
    if (!ratio) return;
    writer.required(key, ratio->median);
    writer.required(interval, ratio->ci95);
  };
  put_ratio("time_ratio", "time_ratio_ci95", row.ratio.time);
  put_ratio("cycles_ratio", "cycles_ratio_ci95", row.ratio.cycles);
  return writer.take();
}

Json fleet_json(const std::vector<analysis::FleetGroup>& fleet) {
  Json list = Json::array();
  for (const analysis::FleetGroup& group : fleet) {
    for (const analysis::FleetRow& row : group.rows) list.push_back(fleet_row_json(row));
  }
  return list;
}

Json what_if_ratios(const core::Report& report) {
  Json list = Json::array();
  for (const analysis::WhatIfRow& row : analysis::what_if_rows(report)) {
    Writer writer;
    writer.required("kernel", row.base->kernel);
    writer.required("pipeline", row.changed->pipeline);
    writer.required("machine", row.changed->machine);
    writer.required("problem", row.base->problem);
    writer.optional("base_cycles", row.base->cycles);
    writer.optional("changed_cycles", row.changed->cycles);
    writer.optional("cycles_ratio", row.cycles_ratio);
    writer.optional("time_ratio", row.time_ratio);
    list.push_back(writer.take());
  }
  return list;
}

Json summary_of(const analysis::ErrorSummary& summary) {
  Writer writer;
  writer.optional("label", summary.label);
  writer.required("rows", summary.rows);
  writer.required("mean_signed_error_ratio", summary.mean_signed_ratio);
  writer.required(kMeanErrorKey, summary.mean_absolute_ratio);
  writer.required(kMaxErrorKey, summary.max_absolute_ratio);
  Json json = writer.take();
  Writer worst = identify(summary.worst, summary.worst.measured->problem);
  worst.optional("cycles_deviation_ratio", summary.worst.cycles_deviation_ratio);
  json["worst"] = worst.take();
  return json;
}

Json validation_json(const analysis::Validation& validation) {
  Json json = Json::object();
  if (validation.overall) json["overall"] = summary_of(*validation.overall);
  json["kernels"] = Json::array();
  for (const auto& kernel : validation.kernels) json["kernels"].push_back(summary_of(kernel));
  json["omitted"] = Json::array();
  for (const analysis::OmittedRow& omitted : validation.omitted) {
    Writer writer = identify(omitted.row, omitted.row.measured->problem);
    writer.required("reason", omitted.reason);
    json["omitted"].push_back(writer.take());
  }
  Writer limits;
  limits.optional(kMeanErrorKey, validation.limits.mean_absolute_ratio);
  limits.optional(kMaxErrorKey, validation.limits.max_absolute_ratio);
  json["limits"] = limits.take();
  json["exceeded"] = Json::array();
  if (validation.exceeds_mean()) json["exceeded"].push_back(kMeanErrorKey);
  if (validation.exceeds_max()) json["exceeded"].push_back(kMaxErrorKey);
  return json;
}

/// The pointer of the first number that JSON cannot hold.
std::optional<std::string> find_non_finite(const Json& value) {
  if (value.is_number_float() && !std::isfinite(value.get<double>())) return "";
  if (!value.is_structured()) return std::nullopt;
  for (const auto& member : value.items()) {
    if (const auto below = find_non_finite(member.value())) return "/" + member.key() + *below;
  }
  return std::nullopt;
}

}  // namespace

Json to_json(const core::Report& report, const std::optional<analysis::Validation>& validation) {
  const core::Environment& environment = report.environment;
  Writer writer;
  writer.required("schema_version", core::kReportSchemaVersion);
  writer.required("schema_minor", core::kReportSchemaMinor);
  writer.required("tool", Tool{.version = environment.tool_version,
                               .commit = environment.tool_commit,
                               .compiler = environment.compiler,
                               .cuda_toolkit = environment.cuda_toolkit});
  writer.required("created_at", report.created_at);
  writer.required("command", report.command);
  writer.required("environment", environment);
  writer.optional("seed", report.seed);
  writer.optional("shard", report.shard);
  writer.optional("what_if", report.what_if);
  writer.required("results", report.results);
  Json document = writer.take();
  require_finite(document);  // before anything is computed from it
  const auto comparisons = analysis::compare(report.results);
  document["deviations"] = deviations(comparisons);
  document["speedups"] = speedups(comparisons);
  const auto fleet = analysis::fleet_of(report.results);
  if (!fleet.empty()) document["fleet"] = fleet_json(fleet);
  const Json generations = generations_json(report);
  if (!generations.empty()) document["generations"] = generations;
  const Json ratios = what_if_ratios(report);
  if (!ratios.empty()) document["what_if_ratios"] = ratios;
  if (validation) document["validation"] = validation_json(*validation);
  document["warnings"] = report.warnings;
  require_finite(document);
  return document;
}

Json to_json(const core::AttentionProblem& problem) { return to_value(problem); }

std::string to_text(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void require_finite(const Json& document) {
  if (const auto pointer = find_non_finite(document)) {
    throw core::Error(core::ExitCode::kCheckFailed,
                      "the report was not written: " + *pointer +
                          " is infinite or NaN, which JSON cannot hold; a measurement or a model "
                          "parameter behind it is broken");
  }
}

}  // namespace fa3prof::report
