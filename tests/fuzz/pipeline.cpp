// A pipeline file, and what it describes on a machine that lacks nothing.
#include "sim/pipeline.h"

#include "src/core/json_reader.h"
#include "tests/fuzz/small_simulation.h"
#include "tests/fuzz/targets.h"

namespace fa3prof::fuzz {

void take_pipeline(std::string_view bytes) {
  static const sim::Machine h200 = sim::load_machine("h200_sxm");
  const core::Json document = core::parse_json(bytes, "pipeline.json");
  simulate_small(h200, sim::read_pipeline({document, "pipeline.json"}));
}

}  // namespace fa3prof::fuzz
