#include "src/analysis/comparison.h"
#include "src/core/attention_kernel.h"
#include "src/core/version.h"
#include "src/report/html.h"
#include "src/report/json.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace fa3prof::report {
namespace {

using core::Json;
using core::Result;

constexpr std::size_t kMostSamples = 40'000;  // of a page; some 8 bytes each, and as many of clocks
constexpr std::size_t kFewestSamples = 50;    // of a result that has them
constexpr std::size_t kMostSpans = 24'000;    // of a page's timelines; some 15 bytes each
constexpr double kPerUnit = 1000.0;           // nanoseconds of a microsecond, kHz of a MHz

void put(Json& object, const char* key, const std::optional<double>& value) {
  if (value) object[key] = *value;
}

/// Every `stride`-th number, to three decimals.
Json thinned(const Json& numbers, std::size_t stride) {
  Json kept = Json::array();
  for (std::size_t i = 0; i < numbers.size(); i += stride) {
    kept.push_back(std::round(numbers[i].get<double>() * kPerUnit) / kPerUnit);
  }
  return kept;
}

void thin_samples(Json& result, std::size_t most) {
  const auto timing = result.find("timing");
  if (timing == result.end()) return;
  const std::size_t stride = (timing->at("samples_us").size() + most - 1) / most;
  timing->erase("samples_throttle_reasons");  // the page shows those of all launches together
  timing->erase("samples_temperature_celsius");
  for (const char* key : {"samples_us", "samples_clock_mhz", "samples_power_watts"}) {
    if (timing->contains(key))
      (*timing)[key] = thinned(timing->at(key), std::max(stride, std::size_t{1}));
  }
  if (stride > 1) (*timing)["samples_kept_every"] = stride;
}

/// Takes out timelines once there are more spans than a page has room for, and says how many.
class TimelineRoom {
 public:
  void fit(Json& report) {
    std::size_t left_out = 0;
    for (Json& result : report["results"]) {
      const auto timeline = result.find("timeline");
      if (timeline == result.end()) continue;
      const std::size_t spans = spans_of(*timeline);
      if (spans <= room_) {
        room_ -= spans;
        continue;
      }
      result.erase(timeline);
      ++left_out;
    }
    if (left_out > 0) report["timelines_left_out"] = left_out;
  }

 private:
  static std::size_t spans_of(const Json& timeline) {
    std::size_t spans = 0;
    for (const Json& track : timeline.at("tracks")) spans += track.at("begins").size();
    return spans;
  }

  std::size_t room_ = kMostSpans;
};

/// How many samples each result may keep.
std::size_t samples_of_result(const std::vector<PageReport>& reports) {
  std::size_t timed = 0;
  for (const PageReport& page : reports) {
    timed += static_cast<std::size_t>(std::ranges::count_if(
        page.report.results, [](const Result& result) { return result.timing.has_value(); }));
  }
  return std::max(kFewestSamples, kMostSamples / std::max(timed, std::size_t{1}));
}

/// The type that a row's kernel multiplies, which decides the tensor roof above it.
std::string multiplied_type(const analysis::Row& row) {
  const Result& any = row.measured != nullptr ? *row.measured : *row.simulated;
  const auto own = core::attention_kernels();
  const auto kernel = std::ranges::find(own, any.kernel, &core::AttentionKernel::name);
  const auto dtype =
      kernel == own.end() ? any.problem.dtype : core::multiplied_type(*kernel, any.problem);
  return std::string(core::name_of(dtype));
}

Json speedup_json(const analysis::Speedup& speedup) {
  Json json{{"baseline", speedup.baseline}};
  put(json, "measured_time_ratio", speedup.measured_time_ratio);
  if (const auto& ci95 = speedup.measured_time_ratio_ci95) {
    json["measured_time_ratio_ci95"] = {{"lower", ci95->lower}, {"upper", ci95->upper}};
  }
  put(json, "measured_cycles_ratio", speedup.measured_cycles_ratio);
  put(json, "simulated_time_ratio", speedup.simulated_time_ratio);
  put(json, "simulated_cycles_ratio", speedup.simulated_cycles_ratio);
  return json;
}

Json row_json(const analysis::Row& row, const std::vector<Result>& results) {
  Json json{{"label", row.label}, {"multiplied_dtype", multiplied_type(row)}};
  if (row.measured != nullptr) json["measured"] = row.measured - results.data();
  if (row.simulated != nullptr) json["simulated"] = row.simulated - results.data();
  put(json, "measured_cycles", row.measured_cycles);
  if (!row.measured_cycles_basis.empty()) json["measured_cycles_basis"] = row.measured_cycles_basis;
  put(json, "cycles_deviation_ratio", row.cycles_deviation_ratio);
  put(json, "time_deviation_ratio", row.time_deviation_ratio);
  if (row.speedup) json["speedup"] = speedup_json(*row.speedup);
  return json;
}

Json problems_json(const std::vector<analysis::ProblemComparison>& comparisons,
                   const std::vector<Result>& results) {
  Json list = Json::array();
  for (const analysis::ProblemComparison& comparison : comparisons) {
    Json rows = Json::array();
    for (const analysis::Row& row : comparison.rows) rows.push_back(row_json(row, results));
    list.push_back({{"text", core::describe(comparison.problem)}, {"rows", std::move(rows)}});
  }
  return list;
}

Json roofs_json(const PageReport& page) {
  Json list = Json::array();
  for (const auto& [head_dim, roofs] : page.roofs) {
    for (const analysis::Roof& roof : roofs) {
      const bool is_memory = roof.kind == analysis::RoofKind::kMemory;
      list.push_back({{"head_dim", head_dim},
                      {"unit", roof.unit},
                      {"kind", is_memory ? "memory" : "compute"},
                      {is_memory ? "bytes_per_s" : "flop_per_s", roof.value},
                      {is_memory ? "bytes_per_s_at_max_clock" : "flop_per_s_at_max_clock",
                       roof.value_at_max_clock},
                      {"formula", roof.formula}});
    }
  }
  return list;
}

Json report_json(const PageReport& page, std::size_t most_samples) {
  const std::vector<Result>& results = page.report.results;
  const auto comparisons = analysis::compare(results);
  Json json = to_json(page.report);
  // The rows have these.
  json.erase("deviations");
  json.erase("speedups");
  json.erase("fleet");
  for (Json& result : json["results"]) thin_samples(result, most_samples);
  json["name"] = page.name;
  json["problems"] = problems_json(comparisons, results);
  if (!page.machine.empty()) json["machine"] = page.machine;
  json["roofs"] = roofs_json(page);
  return json;
}

}  // namespace

Json page_document(const std::vector<PageReport>& reports) {
  Json document{
      {"written_by", {{"version", core::tool_version()}, {"commit", core::tool_commit()}}},
      {"reports", Json::array()}};
  const std::size_t most_samples = samples_of_result(reports);
  TimelineRoom room;
  for (const PageReport& page : reports) {
    document["reports"].push_back(report_json(page, most_samples));
    room.fit(document["reports"].back());
  }
  require_finite(document);
  return document;
}

}  // namespace fa3prof::report
