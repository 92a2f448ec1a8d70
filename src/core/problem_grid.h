// Lists of sizes from flags or a scenario file, expanded to attention problems.
#pragma once

#include "src/core/attention_problem.h"
#include "src/core/shard.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace fa3prof::core {

/// Every list may hold several values; an empty list means "not stated" and takes the default.
/// expand() is the product of all lists, the last field varying fastest.
struct ProblemGrid {
  std::vector<DataType> dtypes = {};            ///< default fp16
  std::vector<std::int64_t> head_dims = {};     ///< default 128
  std::vector<bool> causal = {};                ///< default not causal
  std::vector<std::int64_t> seqlens_q = {};     ///< default 8192
  std::vector<std::int64_t> seqlens_kv = {};    ///< default: equal to seqlen_q
  std::vector<std::int64_t> batches = {};       ///< default 16384 / seqlen_q, at least 1
  std::vector<std::int64_t> num_heads = {};     ///< default 2048 / head_dim, at least 1
  std::vector<std::int64_t> num_heads_kv = {};  ///< default: equal to num_heads

  bool operator==(const ProblemGrid&) const = default;
};

/// `overrides` wins wherever it states something.
[[nodiscard]] ProblemGrid merge(const ProblemGrid& base, const ProblemGrid& overrides);

/// All problems, each valid. The defaults for batch and heads keep 16k tokens and hidden size 2048,
/// as the FlashAttention papers do. Throws UsageError for an invalid combination.
[[nodiscard]] std::vector<AttentionProblem> expand(const ProblemGrid& grid);

/// Those of the problems that the shard is dealt; all of them without one.
[[nodiscard]] std::vector<AttentionProblem> deal(const std::vector<AttentionProblem>& problems,
                                                 const std::optional<Shard>& shard);

/// The grid that expands to this one problem.
[[nodiscard]] ProblemGrid grid_of(const AttentionProblem& problem);

/// "512,1k,2^14" -> {512, 1024, 16384}; k and m are 1024 and 1024^2. Throws UsageError that quotes
/// the bad item; `flag` is named in it.
[[nodiscard]] std::vector<std::int64_t> parse_sizes(std::string_view text, std::string_view flag);

}  // namespace fa3prof::core
