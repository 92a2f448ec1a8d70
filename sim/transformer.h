// A large language model as far as serving it is a matter of sizes: a decoder of plain attention
// and gated MLPs. Files: configs/models. Not: weights, positions, activations.
#pragma once

#include "src/core/attention_problem.h"
#include "src/core/json_reader.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fa3prof::sim {

/// Members are named as their keys in the file and, where they have one, as in the config.json of
/// the model that `source` names.
struct Transformer {
  std::string name;
  std::string description;
  std::string source;
  std::int64_t layers = 1;
  std::int64_t hidden_size = 1;
  std::int64_t num_heads = 1;
  std::int64_t num_heads_kv = 1;
  std::int64_t head_dim = 1;
  std::int64_t intermediate_size = 1;  ///< of the gated MLP: three matrices of hidden_size by this
  std::int64_t vocab_size = 1;
  bool has_tied_embeddings = false;  ///< input and output embedding are one matrix
  std::int64_t max_context = 1;      ///< tokens
};

/// Reads a model object and refuses what it does not know. Throws ConfigError.
[[nodiscard]] Transformer read_transformer(core::JsonReader reader);

/// `name_or_path`: a built-in model ("llama3_70b") or, with '/' or ".json" in it, a file.
/// Throws UsageError for an unknown name, ConfigError for a bad file.
[[nodiscard]] Transformer load_transformer(const std::string& name_or_path);

[[nodiscard]] std::vector<std::string> builtin_transformers();

/// Weights in all; biases, which add less than 0.01 %, are left out.
[[nodiscard]] double parameters(const Transformer& model);

/// Elements of K and V that a token adds to the cache, over all layers and heads.
[[nodiscard]] double cache_elements_per_token(const Transformer& model);

/// A prompt, and how many GPUs share each layer by tensor parallelism.
struct Prompt {
  std::int64_t batch = 1;
  std::int64_t tokens = 1;  ///< of each sequence
  std::int64_t tensor_parallel = 1;
};

/// Heads that one GPU has of `heads`; of KV heads at least one, so that they are held several times
/// where they are fewer than the GPUs.
[[nodiscard]] std::int64_t heads_per_gpu(std::int64_t heads, std::int64_t tensor_parallel);

/// One GPU's share of a layer's causal attention over whole prompts. Throws UsageError where the
/// heads do not part evenly.
[[nodiscard]] core::AttentionProblem attention_of(const Transformer& model, const Prompt& prompt);

}  // namespace fa3prof::sim
