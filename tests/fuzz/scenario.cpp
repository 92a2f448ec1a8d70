// A scenario file. Its problems are not simulated: a sound scenario may ask for hours of work.
#include "sim/scenario.h"

#include "src/core/json_reader.h"
#include "tests/fuzz/targets.h"

namespace fa3prof::fuzz {

void take_scenario(std::string_view bytes) {
  const core::Json document = core::parse_json(bytes, "scenario.json");
  static_cast<void>(sim::read_scenario({document, "scenario.json"}));
}

}  // namespace fa3prof::fuzz
