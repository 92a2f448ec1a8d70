// One attention problem: its shape, what it costs in FLOPs by three ways of counting, and the bytes
// it cannot avoid. Not: how a kernel solves it. Free of fmt, JSON and CUDA: device code includes
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fa3prof::core {

/// Element type of Q, K, V. O has the same type (float16 output for kFloat8E4M3 inputs).
enum class DataType { kFloat16, kBFloat16, kFloat8E4M3 };

/// "fp16", "bf16", "fp8_e4m3": the words of the command line and of reports.
[[nodiscard]] std::string_view name_of(DataType dtype);

/// Inverse of name_of; "e4m3" and "fp8" also mean fp8_e4m3. Throws UsageError naming the choices.
[[nodiscard]] DataType parse_data_type(std::string_view text);

/// Bytes of one element: 2 or 1.
[[nodiscard]] std::int64_t element_bytes(DataType dtype);

/// O = softmax(softmax_scale * Q K^T + mask) V.
/// Q, O: [batch, seqlen_q, num_heads, head_dim]; K, V: [batch, seqlen_kv, num_heads_kv, head_dim].
/// The causal mask is aligned to the bottom right: row i sees keys j <= i + seqlen_kv - seqlen_q;
/// a row that sees no key has O = 0 and LSE = -inf.
struct AttentionProblem {
  std::int64_t batch = 1;
  std::int64_t num_heads = 1;
  std::int64_t num_heads_kv = 1;  ///< divides num_heads (1: MQA, num_heads: MHA, between: GQA)
  std::int64_t seqlen_q = 1;
  std::int64_t seqlen_kv = 1;
  std::int64_t head_dim = 128;
  bool is_causal = false;
  DataType dtype = DataType::kFloat16;

  bool operator==(const AttentionProblem&) const = default;
};

/// A CTA's share of the score matrix: tile_m query rows by tile_n keys.
struct Tile {
  std::int64_t m = 0;
  std::int64_t n = 0;
  /// Rows that together pass by the key blocks which the mask hides from all of them, a warpgroup's
  /// share of the tile; divides m. Without it the whole tile does.
  std::optional<std::int64_t> slab_m = std::nullopt;
  /// That P is multiplied with, where they are more than head_dim.
  std::optional<std::int64_t> value_channels = std::nullopt;

  bool operator==(const Tile&) const = default;
};

/// Throws UsageError, naming the field, unless all sizes are >= 1, below 2^31, and num_heads_kv
/// divides num_heads.
void validate(const AttentionProblem& problem);

/// 1 / sqrt(head_dim), the scale of the transformer paper.
[[nodiscard]] double softmax_scale(const AttentionProblem& problem);

/// Number of (query, key) pairs that the mask lets through, for one head of one batch entry.
[[nodiscard]] std::int64_t attended_pairs(const AttentionProblem& problem);

/// Key blocks that the CTA of query rows [m_begin, m_end) visits with blocks of tile_n keys.
/// 0 when the mask hides every key from all of its rows.
[[nodiscard]] std::int64_t key_blocks(const AttentionProblem& problem, std::int64_t m_end,
                                      std::int64_t tile_n);

/// Both GEMMs over exactly the attended pairs: 4 * head_dim * pairs * heads * batch.
[[nodiscard]] double flops_algorithmic(const AttentionProblem& problem);

/// The papers' convention: 4 * B * H * Sq * Skv * D, halved when causal. Published TFLOPS use it.
[[nodiscard]] double flops_convention(const AttentionProblem& problem);

/// What a kernel with this tile executes: whole tiles, visited key blocks only, both GEMMs. A slab
/// visits at least one key block where its tile does.
/// Hardware counters see this number.
[[nodiscard]] double flops_tile_padded(const AttentionProblem& problem, const Tile& tile);

/// Q, K and V read once, O written once, LSE (float32) written once.
[[nodiscard]] double min_bytes(const AttentionProblem& problem);

/// "fp16 b2 h16 sq8192 skv8192 d128 causal" (h16/2 with grouped heads): one line for people.
[[nodiscard]] std::string describe(const AttentionProblem& problem);

}  // namespace fa3prof::core
