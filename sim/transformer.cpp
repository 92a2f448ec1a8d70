#include "sim/transformer.h"

#include "sim/builtin_configs.h"
#include "src/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace fa3prof::sim {
namespace {

constexpr core::IntegerRange kSize{.min = 1, .max = std::numeric_limits<std::int32_t>::max()};

double product(std::int64_t a, std::int64_t b) {
  return static_cast<double>(a) * static_cast<double>(b);
}

/// Throws UsageError unless the heads part evenly over the GPUs.
void check_parallel(const Transformer& model, std::int64_t gpus) {
  const bool shares_kv =
      gpus >= 1 && (model.num_heads_kv % gpus == 0 || gpus % model.num_heads_kv == 0);
  if (shares_kv && model.num_heads % gpus == 0) return;
  throw core::UsageError(fmt::format(
      "{} GPUs cannot share the {} heads and {} KV heads of {} evenly: choose --tp so that it "
      "divides the heads, and divides or is a multiple of the KV heads",
      gpus, model.num_heads, model.num_heads_kv, model.name));
}

}  // namespace

Transformer read_transformer(core::JsonReader reader) {
  Transformer model;
  model.name = reader.at("name").string();
  if (auto text = reader.find("description")) model.description = text->string();
  model.source = reader.at("source").string();
  if (model.source.empty()) reader.at("source").fail("must say where the numbers come from");
  model.layers = reader.at("layers").integer(kSize);
  model.hidden_size = reader.at("hidden_size").integer(kSize);
  model.num_heads = reader.at("num_heads").integer(kSize);
  model.num_heads_kv = reader.at("num_heads_kv").integer(kSize);
  model.head_dim = reader.at("head_dim").integer(kSize);
  model.intermediate_size = reader.at("intermediate_size").integer(kSize);
  model.vocab_size = reader.at("vocab_size").integer(kSize);
  model.has_tied_embeddings = reader.at("has_tied_embeddings").boolean();
  model.max_context = reader.at("max_context").integer(kSize);
  if (model.num_heads % model.num_heads_kv != 0) {
    reader.at("num_heads_kv").fail("must divide num_heads");
  }
  reader.finish();
  return model;
}

Transformer load_transformer(const std::string& name_or_path) {
  const ConfigDocument document = load_config(ConfigKind::kModel, name_or_path);
  return read_transformer({document.json, document.file});
}

std::vector<std::string> builtin_transformers() { return builtin_config_names(ConfigKind::kModel); }

double parameters(const Transformer& model) {
  const double attention = product(model.hidden_size, model.head_dim) *
                           static_cast<double>(2 * model.num_heads + 2 * model.num_heads_kv);
  const double mlp = 3.0 * product(model.hidden_size, model.intermediate_size);
  const double norms = 2.0 * static_cast<double>(model.hidden_size);
  const double embeddings =
      (model.has_tied_embeddings ? 1.0 : 2.0) * product(model.vocab_size, model.hidden_size);
  return static_cast<double>(model.layers) * (attention + mlp + norms) + embeddings +
         static_cast<double>(model.hidden_size);
}

double cache_elements_per_token(const Transformer& model) {
  return 2.0 * static_cast<double>(model.layers) * product(model.num_heads_kv, model.head_dim);
}

std::int64_t heads_per_gpu(std::int64_t heads, std::int64_t tensor_parallel) {
  return std::max<std::int64_t>(1, heads / tensor_parallel);
}

core::AttentionProblem attention_of(const Transformer& model, const Prompt& prompt) {
  check_parallel(model, prompt.tensor_parallel);
  const core::AttentionProblem problem{
      .batch = prompt.batch,
      .num_heads = heads_per_gpu(model.num_heads, prompt.tensor_parallel),
      .num_heads_kv = heads_per_gpu(model.num_heads_kv, prompt.tensor_parallel),
      .seqlen_q = prompt.tokens,
      .seqlen_kv = prompt.tokens,
      .head_dim = model.head_dim,
      .is_causal = true,
      .dtype = core::DataType::kBFloat16};
  core::validate(problem);
  return problem;
}

}  // namespace fa3prof::sim
