#include "src/core/json_reader.h"
#include "src/report/benchmark_services.h"
#include "src/report/json.h"
#include "src/report/series_name.h"

namespace fa3prof::report {
namespace {

using core::Json;

constexpr double kNsPerUs = 1e3;
constexpr double kUsPerSecond = 1e6;

Json latency(const core::Result& result) {
  Json json{{"value", *result.time_us * kNsPerUs}};
  if (!result.timing) return json;
  json["lower_value"] = result.timing->median_ci95_us.lower * kNsPerUs;
  json["upper_value"] = result.timing->median_ci95_us.upper * kNsPerUs;
  return json;
}

Json throughput(const core::Result& result) {
  const double flops = core::flops_convention(result.problem) * kUsPerSecond;
  Json json{{"value", flops / *result.time_us}};
  if (!result.timing) return json;
  // The longest time is the lowest throughput.
  json["lower_value"] = flops / result.timing->median_ci95_us.upper;
  json["upper_value"] = flops / result.timing->median_ci95_us.lower;
  return json;
}

}  // namespace

std::string bencher_text(const std::vector<NamedReport>& reports) {
  Json document = Json::object();
  for_each_timed(
      reports, [&](const std::string& name, const NamedReport&, const core::Result& result) {
        document[name] = {{"latency", latency(result)}, {"throughput", throughput(result)}};
      });
  require_finite(document);
  return to_text(document);
}

}  // namespace fa3prof::report
