#include "src/core/attention_problem.h"

#include "src/core/error.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fa3prof::core {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

void check_size(std::int64_t value, const char* name) {
  if (value < 1 || value > std::numeric_limits<std::int32_t>::max()) {
    throw UsageError(std::string(name) + " is " + std::to_string(value) +
                     ", but must be between 1 and 2147483647");
  }
}

}  // namespace

std::string_view name_of(DataType dtype) {
  switch (dtype) {
    case DataType::kFloat16:
      return "fp16";
    case DataType::kBFloat16:
      return "bf16";
    case DataType::kFloat8E4M3:
      return "fp8_e4m3";
  }
  throw UsageError("unknown data type");
}

DataType parse_data_type(std::string_view text) {
  if (text == "fp16" || text == "float16") return DataType::kFloat16;
  if (text == "bf16" || text == "bfloat16") return DataType::kBFloat16;
  if (text == "fp8_e4m3" || text == "fp8" || text == "e4m3") return DataType::kFloat8E4M3;
  throw UsageError("unknown dtype '" + std::string(text) + "': choose fp16, bf16 or fp8_e4m3");
}

std::int64_t element_bytes(DataType dtype) { return dtype == DataType::kFloat8E4M3 ? 1 : 2; }

void validate(const AttentionProblem& problem) {
  check_size(problem.batch, "batch");
  check_size(problem.num_heads, "num_heads");
  check_size(problem.num_heads_kv, "num_heads_kv");
  check_size(problem.seqlen_q, "seqlen_q");
  check_size(problem.seqlen_kv, "seqlen_kv");
  check_size(problem.head_dim, "head_dim");
  if (problem.num_heads % problem.num_heads_kv != 0) {
    throw UsageError("num_heads_kv " + std::to_string(problem.num_heads_kv) +
                     " does not divide num_heads " + std::to_string(problem.num_heads) +
                     "; choose a divisor (1 is MQA, num_heads is MHA)");
  }
}

double softmax_scale(const AttentionProblem& problem) {
  return 1.0 / std::sqrt(static_cast<double>(problem.head_dim));
}

std::int64_t attended_pairs(const AttentionProblem& problem) {
  const std::int64_t sq = problem.seqlen_q;
  const std::int64_t skv = problem.seqlen_kv;
  if (!problem.is_causal) return sq * skv;
  // Rows see 1..skv keys when sq == skv; the last rows always see all keys, the first may see none.
  const std::int64_t rows = std::min(sq, skv);
  const std::int64_t first = skv - rows + 1;
  return rows * (first + skv) / 2;
}

std::int64_t key_blocks(const AttentionProblem& problem, std::int64_t m_end, std::int64_t tile_n) {
  if (!problem.is_causal) return ceil_div(problem.seqlen_kv, tile_n);
  const std::int64_t last_row = std::min(m_end, problem.seqlen_q);
  const std::int64_t visible = last_row + problem.seqlen_kv - problem.seqlen_q;
  return visible <= 0 ? 0 : ceil_div(std::min(visible, problem.seqlen_kv), tile_n);
}

double flops_algorithmic(const AttentionProblem& problem) {
  return 4.0 * static_cast<double>(problem.head_dim) *
         static_cast<double>(attended_pairs(problem)) * static_cast<double>(problem.num_heads) *
         static_cast<double>(problem.batch);
}

double flops_convention(const AttentionProblem& problem) {
  const double full =
      4.0 * static_cast<double>(problem.batch) * static_cast<double>(problem.num_heads) *
      static_cast<double>(problem.seqlen_q) * static_cast<double>(problem.seqlen_kv) *
      static_cast<double>(problem.head_dim);
  return problem.is_causal ? full / 2.0 : full;
}

double flops_tile_padded(const AttentionProblem& problem, const Tile& tile) {
  const std::int64_t slab = tile.slab_m.value_or(tile.m);
  std::int64_t row_blocks = 0;
  for (std::int64_t m = 0; m < problem.seqlen_q; m += tile.m) {
    const std::int64_t of_tile = key_blocks(problem, m + tile.m, tile.n);
    for (std::int64_t row = m; row < m + tile.m; row += slab) {
      const std::int64_t of_slab = key_blocks(problem, row + slab, tile.n);
      row_blocks += slab * std::min(of_tile, std::max<std::int64_t>(of_slab, 1));
    }
  }
  const std::int64_t channels = problem.head_dim + tile.value_channels.value_or(problem.head_dim);
  return 2.0 * static_cast<double>(channels) * static_cast<double>(row_blocks) *
         static_cast<double>(tile.n) * static_cast<double>(problem.num_heads) *
         static_cast<double>(problem.batch);
}

double min_bytes(const AttentionProblem& problem) {
  const double bytes = static_cast<double>(element_bytes(problem.dtype));
  const double out_bytes = 2.0;
  const double q_rows = static_cast<double>(problem.batch) *
                        static_cast<double>(problem.num_heads) *
                        static_cast<double>(problem.seqlen_q);
  const double kv_rows = static_cast<double>(problem.batch) *
                         static_cast<double>(problem.num_heads_kv) *
                         static_cast<double>(problem.seqlen_kv);
  const double d = static_cast<double>(problem.head_dim);
  return q_rows * d * (bytes + out_bytes) + 2.0 * kv_rows * d * bytes + q_rows * 4.0;
}

std::string describe(const AttentionProblem& problem) {
  std::string text(name_of(problem.dtype));
  text += " b" + std::to_string(problem.batch) + " h" + std::to_string(problem.num_heads);
  if (problem.num_heads_kv != problem.num_heads) text += "/" + std::to_string(problem.num_heads_kv);
  text += " sq" + std::to_string(problem.seqlen_q) + " skv" + std::to_string(problem.seqlen_kv) +
          " d" + std::to_string(problem.head_dim);
  if (problem.is_causal) text += " causal";
  return text;
}

}  // namespace fa3prof::core
