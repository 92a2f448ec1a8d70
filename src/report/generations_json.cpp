#include "src/report/generations_json.h"

#include "src/analysis/generations.h"
#include "src/report/json.h"

namespace fa3prof::report {
namespace {

using analysis::Generation;
using core::Json;

void put(Json& object, const char* key, const std::optional<double>& value) {
  if (value) object[key] = *value;
}

Json guide_json(const Generation& generation) {
  const analysis::GuideGeneration& guide = *generation.guide;
  Json json{{"memory_transfer", guide.transfer},
            {"tensor_instruction", guide.instruction},
            {"warps", guide.warps},
            {"overlap", guide.overlap},
            {"numerics", guide.numerics},
            {"tflops", guide.tflops},
            {"peak_ratio", guide.peak_ratio}};
  put(json, "time_ratio_over_previous", generation.guide_speedup);
  return json;
}

Json roles_json(const Generation& generation) {
  Json list = Json::array();
  for (const analysis::WarpRole& role : generation.roles) {
    list.push_back({{"name", role.name}, {"instances", role.instances}, {"warps", role.warps}});
  }
  return list;
}

void put_counted(Json& json, const Generation& generation) {
  const core::Counters& counters = generation.measured->counters;
  if (generation.engine) json["memory_transfer"] = name_of(*generation.engine);
  if (generation.instruction) json["tensor_instruction"] = name_of(*generation.instruction);
  for (const std::string_view key :
       {core::kGlobalLoadInstructions, core::kCpAsyncInstructions, core::kTmaInstructions,
        core::kMmaSyncInstructions, core::kWgmmaInstructions, core::kTensorActiveRatio,
        core::kMufuActiveRatio}) {
    put(json, std::string(key).c_str(), counters.find(key));
  }
  put(json, "both_busy_ratio", generation.both_busy_ratio);
}

Json measured_json(const Generation& generation) {
  Json json = Json::object();
  put_counted(json, generation);
  if (!generation.roles.empty()) json["roles"] = roles_json(generation);
  put(json, "simulated_softmax_exposed_ratio", generation.simulated_softmax_exposed_ratio);
  put(json, "tflops", generation.measured->tflops);
  put(json, "peak_ratio", generation.peak_ratio);
  if (generation.speedup) {
    put(json, "time_ratio_over_previous", generation.speedup->measured_time_ratio);
    if (const auto& ci95 = generation.speedup->measured_time_ratio_ci95) {
      json["time_ratio_over_previous_ci95"] = {{"lower", ci95->lower}, {"upper", ci95->upper}};
    }
  }
  return json;
}

Json generation_json(const Generation& generation) {
  Json json{{"name", generation.guide->name},
            {"kernel", generation.guide->kernel},
            {"guide", guide_json(generation)}};
  if (generation.measured != nullptr && generation.measured->time_us) {
    json["measured"] = measured_json(generation);
  }
  return json;
}

}  // namespace

Json generations_json(const core::Report& report) {
  Json list = Json::array();
  for (const analysis::GenerationTable& table : analysis::generation_tables(report)) {
    Json generations = Json::array();
    for (const Generation& generation : table.generations) {
      generations.push_back(generation_json(generation));
    }
    list.push_back({{"problem", to_json(table.problem)},
                    {"generations", std::move(generations)},
                    {"notes", table.notes}});
  }
  return list;
}

}  // namespace fa3prof::report
