// Configs from text in a test.
#pragma once

#include "sim/machine.h"
#include "sim/pipeline.h"
#include "sim/scenario.h"

#include <string>
#include <string_view>

namespace fa3prof::tests {

inline sim::Machine machine_from(std::string_view text) {
  const core::Json json = core::parse_json(text, "machine.json");
  return sim::read_machine({json, "machine.json"});
}

inline sim::Pipeline pipeline_from(std::string_view text) {
  const core::Json json = core::parse_json(text, "pipeline.json");
  return sim::read_pipeline({json, "pipeline.json"});
}

inline sim::Scenario scenario_from(std::string_view text) {
  const core::Json json = core::parse_json(text, "scenario.json");
  return sim::read_scenario({json, "scenario.json"});
}

/// A pipeline file around `barriers` and `roles` (JSON text): tile 128 x 128, 2 stages.
inline std::string pipeline_text(const std::string& barriers, const std::string& roles) {
  return R"({"name": "test", "dtypes": ["fp16"], "ctas_per_sm": 1, "is_persistent": false,
    "order": "grid", "tiles": [{"tile_m": 128, "tile_n": 128, "stages": 2}],
    "buffers": {"k": {"bytes": "tile_n * head_dim * element_bytes", "copies": "stages"}},
    "barriers": )" +
         barriers + R"(, "roles": )" + roles + "}";
}

/// A delay step.
inline std::string delay(const std::string& name, double cycles, const std::string& unit,
                         const std::string& more = "") {
  return R"({"delay": ")" + name + R"(", "unit": ")" + unit + R"(", "cycles": {"value": )" +
         std::to_string(cycles) + R"(, "source": "test"})" + more + "}";
}

/// Text of the error that `call` throws, or "" if it throws none.
template <typename Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace fa3prof::tests
