#include "src/core/json_reader.h"
#include "src/report/benchmark_services.h"
#include "src/report/json.h"
#include "src/report/series_name.h"

#include <fmt/format.h>

namespace fa3prof::report {
namespace {

using core::Json;

/// Half the interval's width in the metric's unit; empty without one.
std::string range_text(const core::Result& result, BenchmarkMetric metric) {
  if (!result.timing) return "";
  const core::Interval& time_us = result.timing->median_ci95_us;
  const double half_us = (time_us.upper - time_us.lower) / 2.0;
  if (metric == BenchmarkMetric::kTime) return fmt::format("+-{:.3g}", half_us);
  return fmt::format("+-{:.3g}", result.tflops.value_or(0.0) * half_us / *result.time_us);
}

std::string extra_text(const NamedReport& named) {
  const core::Environment& environment = named.report.environment;
  return fmt::format("{}, fa3prof {} ({})", environment.gpu ? environment.gpu->name : "simulated",
                     environment.tool_version, environment.tool_commit);
}

}  // namespace

std::string github_benchmark_text(const std::vector<NamedReport>& reports, BenchmarkMetric metric) {
  const bool is_time = metric == BenchmarkMetric::kTime;
  Json list = Json::array();
  for_each_timed(
      reports, [&](const std::string& name, const NamedReport& named, const core::Result& result) {
        const auto& value = is_time ? result.time_us : result.tflops;
        if (!value) return;
        Json entry{{"name", name}, {"unit", is_time ? "us" : "TFLOPS"}, {"value", *value}};
        const std::string range = range_text(result, metric);
        if (!range.empty()) entry["range"] = range;
        entry["extra"] = extra_text(named);
        list.push_back(std::move(entry));
      });
  require_finite(list);
  return to_text(list);
}

}  // namespace fa3prof::report
