// A model file, and one GPU's share of a prompt to what it describes.
#include "sim/transformer.h"
#include "src/core/json_reader.h"
#include "tests/fuzz/targets.h"

namespace fa3prof::fuzz {

void take_model(std::string_view bytes) {
  const core::Json document = core::parse_json(bytes, "model.json");
  const sim::Transformer model = sim::read_transformer({document, "model.json"});
  static_cast<void>(sim::parameters(model));
  static_cast<void>(sim::cache_elements_per_token(model));
  static_cast<void>(sim::attention_of(model, {.batch = 2, .tokens = 1000}));
}

}  // namespace fa3prof::fuzz
