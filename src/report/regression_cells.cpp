#include "src/report/regression_cells.h"

#include "src/report/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

namespace fa3prof::report {
namespace {

using analysis::Verdict;

std::string time_text(const core::Result* result) {
  if (result == nullptr) return "";
  return text_or_empty(result->time_us, [](double us) { return grouped(us, 1); });
}

/// "+5.0 % (+4.8 to +5.2)"; a point without an interval is "+5.0 %".
std::string change_text(const std::optional<core::RatioInterval>& ratio) {
  if (!ratio) return "";
  const std::string change = signed_percent(ratio->median - 1.0);
  if (ratio->ci95.lower == ratio->ci95.upper) return change;
  return fmt::format("{} ({:+.1f} to {:+.1f})", change, 100.0 * (ratio->ci95.lower - 1.0),
                     100.0 * (ratio->ci95.upper - 1.0));
}

/// Simulated rows are told apart by pipeline and machine.
std::string label_of(const core::Result& result) {
  if (result.pipeline.empty()) return core::row_label(result);
  return fmt::format("{} by {} on {}", result.kernel, result.pipeline, result.machine);
}

}  // namespace

RegressionCells regression_cells(const analysis::RegressionRow& row) {
  return {std::string(analysis::name_of(row.verdict)),
          label_of(row.any()),
          core::describe(row.any().problem),
          time_text(row.base),
          time_text(row.fresh),
          change_text(row.ratio.time),
          change_text(row.ratio.cycles),
          fmt::format("{}", fmt::join(row.notes, "; "))};
}

std::string origin_text(const NamedReport& named) {
  const core::Environment& environment = named.report.environment;
  std::string gpu = environment.gpu ? environment.gpu->name : "simulated";
  if (!environment.driver.empty()) gpu += ", driver " + environment.driver;
  return fmt::format("{}: {}, {}, fa3prof {} ({})", named.name, gpu, named.report.created_at,
                     environment.tool_version, environment.tool_commit);
}

std::string regression_sum(const analysis::Regression& regression) {
  std::string text;
  for (const Verdict verdict : {Verdict::kSlower, Verdict::kMissing, Verdict::kInconclusive,
                                Verdict::kSame, Verdict::kFaster}) {
    const std::size_t rows = regression.count(verdict);
    if (rows == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", rows, analysis::name_of(verdict));
  }
  return fmt::format(
      "{}; more than {} is a regression{}", text, percent(regression.limits.max_regression_ratio),
      regression.limits.normalises_by_peak ? ", each in units of its GPU's peak" : "");
}

}  // namespace fa3prof::report
