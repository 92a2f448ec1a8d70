// A machine file, and the kernels' pipelines on what it describes.
#include "sim/machine.h"

#include "src/core/json_reader.h"
#include "tests/fuzz/small_simulation.h"
#include "tests/fuzz/targets.h"

namespace fa3prof::fuzz {

void take_machine(std::string_view bytes) {
  static const sim::Pipeline fa2 = sim::load_pipeline("fa2");
  static const sim::Pipeline fa3 = sim::load_pipeline("fa3_fp16");
  const core::Json document = core::parse_json(bytes, "machine.json");
  const sim::Machine machine = sim::read_machine({document, "machine.json"});
  simulate_small(machine, fa2);
  simulate_small(machine, fa3);
}

}  // namespace fa3prof::fuzz
