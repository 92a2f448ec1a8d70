#include "src/analysis/validation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace fa3prof::analysis {
namespace {

/// Empty where the row has an error to speak of.
std::string why_omitted(const Row& row) {
  if (row.simulated == nullptr) return "not simulated: no pipeline of this kernel was chosen";
  if (!row.simulated->unsupported_reason.empty()) {
    return "not simulated: " + row.simulated->unsupported_reason;
  }
  if (!row.measured->cycles) return "no cycles were counted";
  return row.cycles_deviation_ratio ? "" : "the simulation has no cycles";
}

ErrorSummary summarise(std::string label, const std::vector<Row>& rows) {
  ErrorSummary summary{.label = std::move(label), .rows = rows.size(), .worst = {}};
  for (const Row& row : rows) {
    const double error = *row.cycles_deviation_ratio;
    summary.mean_signed_ratio += error;
    summary.mean_absolute_ratio += std::abs(error);
    if (summary.worst.simulated == nullptr || std::abs(error) > summary.max_absolute_ratio) {
      summary.max_absolute_ratio = std::abs(error);
      summary.worst = row;
    }
  }
  const auto count = static_cast<double>(rows.size());
  summary.mean_signed_ratio /= count;
  summary.mean_absolute_ratio /= count;
  return summary;
}

/// Rows of one kernel are told apart by pipeline as soon as two pipelines model it.
std::vector<std::pair<std::string, std::vector<Row>>> by_kernel(const std::vector<Row>& rows) {
  std::map<std::string, std::vector<std::string>> pipelines;
  for (const Row& row : rows) {
    auto& known = pipelines[row.simulated->kernel];
    if (std::ranges::find(known, row.simulated->pipeline) == known.end()) {
      known.push_back(row.simulated->pipeline);
    }
  }
  std::vector<std::pair<std::string, std::vector<Row>>> groups;
  for (const Row& row : rows) {
    const core::Result& simulated = *row.simulated;
    const std::string& label =
        pipelines[simulated.kernel].size() > 1 ? simulated.pipeline : simulated.kernel;
    auto group = std::ranges::find(groups, label, [](const auto& g) { return g.first; });
    if (group == groups.end()) group = groups.insert(groups.end(), {label, {}});
    group->second.push_back(row);
  }
  return groups;
}

}  // namespace

bool Validation::exceeds_mean() const {
  return overall && limits.mean_absolute_ratio &&
         overall->mean_absolute_ratio > *limits.mean_absolute_ratio;
}

bool Validation::exceeds_max() const {
  return overall && limits.max_absolute_ratio &&
         overall->max_absolute_ratio > *limits.max_absolute_ratio;
}

Validation validation_of(const std::vector<ProblemComparison>& comparisons,
                         const ErrorLimits& limits) {
  Validation validation;
  validation.limits = limits;
  std::vector<Row> rows;
  for (const ProblemComparison& comparison : comparisons) {
    for (const Row& row : comparison.rows) {
      if (row.measured == nullptr) continue;
      std::string reason = why_omitted(row);
      if (reason.empty()) {
        rows.push_back(row);
      } else {
        validation.omitted.push_back({.row = row, .reason = std::move(reason)});
      }
    }
  }
  for (const auto& [label, group] : by_kernel(rows)) {
    validation.kernels.push_back(summarise(label, group));
  }
  if (!rows.empty()) validation.overall = summarise("", rows);
  return validation;
}

}  // namespace fa3prof::analysis
