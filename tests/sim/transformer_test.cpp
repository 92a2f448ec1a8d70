#include "sim/transformer.h"

#include "sim/builtin_configs.h"
#include "src/core/error.h"
#include "tests/catch.h"
#include "tests/sim/from_text.h"

#include <map>

namespace fa3prof::tests {
namespace {

sim::Transformer transformer_from(const std::string& text) {
  const core::Json json = core::parse_json(text, "model.json");
  return sim::read_transformer({json, "model.json"});
}

}  // namespace

TEST_CASE("The sizes of each model give the number of parameters that its publisher states",
          "[sim]") {
  // Billions, of the models' cards; biases and head norms are not counted here.
  const std::map<std::string, double> published{
      {"llama3_8b", 8.03},      {"llama3_70b", 70.6},  {"llama3_405b", 406.0}, {"qwen2_5_7b", 7.61},
      {"qwen2_5_72b", 72.7},    {"qwen3_8b", 8.2},     {"qwen3_32b", 32.8},    {"mistral_7b", 7.25},
      {"mistral_large", 123.0}, {"deepseek_67b", 67.4}};
  const auto names = sim::builtin_transformers();
  CHECK(names.size() == published.size());
  for (const std::string& name : names) {
    const sim::Transformer model = sim::load_transformer(name);
    CHECK(model.name == name);
    CHECK_THAT(sim::parameters(model), WithinRel(published.at(name) * 1e9, 5e-3));
  }
}

TEST_CASE("A token of Llama 3 70B takes 320 KiB of a 16-bit KV cache", "[sim]") {
  // 2 (K and V) * 80 layers * 8 heads * 128 channels * 2 bytes = 327,680
  CHECK(2.0 * sim::cache_elements_per_token(sim::load_transformer("llama3_70b")) == 327'680.0);
}

TEST_CASE("GPUs share the heads, and hold a KV head several times where they outnumber them",
          "[sim]") {
  const sim::Transformer model = sim::load_transformer("llama3_70b");
  const auto share = [&model](std::int64_t gpus) {
    return sim::attention_of(model, {.batch = 2, .tokens = 1024, .tensor_parallel = gpus});
  };
  CHECK(share(8).num_heads == 8);
  CHECK(share(8).num_heads_kv == 1);
  CHECK(share(16).num_heads == 4);
  CHECK(share(16).num_heads_kv == 1);
  CHECK(share(2).is_causal);
  CHECK(share(2).batch == 2);
  CHECK_THAT(error_of([&] { (void)share(3); }),
             contains("3 GPUs cannot share the 64 heads and 8 KV heads of llama3_70b"));
  CHECK_THROWS_AS(share(0), core::UsageError);
}

TEST_CASE("A bad model file is refused with file and pointer", "[sim]") {
  const auto text = [](const std::string& heads_kv, const std::string& rest) {
    return R"({"name": "m", "source": "s", "layers": 1, "hidden_size": 8, "num_heads": 4,
               "num_heads_kv": )" +
           heads_kv + R"(, "head_dim": 2, "intermediate_size": 8,
               "vocab_size": 8, "has_tied_embeddings": true, "max_context": 8)" +
           rest + "}";
  };
  CHECK(transformer_from(text("2", "")).num_heads_kv == 2);
  CHECK_THAT(error_of([&] { (void)transformer_from(text("3", "")); }),
             contains("model.json at /num_heads_kv: must divide num_heads"));
  CHECK_THAT(error_of([&] { (void)transformer_from(text("0", "")); }),
             contains("model.json at /num_heads_kv"));
  CHECK_THAT(error_of([&] { (void)transformer_from(text("2", R"(, "experts": 8)")); }),
             contains("model.json at /experts: unknown key"));
  CHECK_THAT(error_of([] { (void)transformer_from(R"({"name": "m", "source": ""})"); }),
             contains("/source"));
  CHECK_THAT(error_of([] { (void)sim::load_transformer("gpt5"); }), contains("llama3_70b"));
}

}  // namespace fa3prof::tests
