#include "src/core/attention_problem.h"

#include "src/core/error.h"
#include "tests/catch.h"

#include <algorithm>
#include <vector>

namespace fa3prof::tests {
namespace {

using core::AttentionProblem;
using core::DataType;
using core::Tile;

bool sees(const AttentionProblem& problem, std::int64_t row, std::int64_t key) {
  return !problem.is_causal || key <= row + problem.seqlen_kv - problem.seqlen_q;
}

// Both orders of the lengths, equal lengths, single rows and keys, with and without mask.
std::vector<AttentionProblem> small_problems() {
  std::vector<AttentionProblem> problems;
  for (const std::int64_t seqlen_q : {1, 2, 5, 8, 13}) {
    for (const std::int64_t seqlen_kv : {1, 3, 8, 11, 20}) {
      for (const bool is_causal : {false, true}) {
        problems.push_back({.batch = 2,
                            .num_heads = 6,
                            .num_heads_kv = 2,
                            .seqlen_q = seqlen_q,
                            .seqlen_kv = seqlen_kv,
                            .head_dim = 64,
                            .is_causal = is_causal});
      }
    }
  }
  return problems;
}

std::int64_t count_pairs(const AttentionProblem& problem) {
  std::int64_t pairs = 0;
  for (std::int64_t row = 0; row < problem.seqlen_q; ++row) {
    for (std::int64_t key = 0; key < problem.seqlen_kv; ++key) {
      if (sees(problem, row, key)) ++pairs;
    }
  }
  return pairs;
}

// Blocks from key 0 to the last key that any row of the tile sees, found by looking at every pair.
std::int64_t count_blocks(const AttentionProblem& problem, std::int64_t m_begin, const Tile& tile) {
  std::int64_t blocks = 0;
  for (std::int64_t row = m_begin; row < std::min(m_begin + tile.m, problem.seqlen_q); ++row) {
    for (std::int64_t key = 0; key < problem.seqlen_kv; ++key) {
      if (sees(problem, row, key)) blocks = std::max(blocks, key / tile.n + 1);
    }
  }
  return blocks;
}

TEST_CASE("attended pairs equal a count of all unmasked pairs", "[core]") {
  for (const AttentionProblem& problem : small_problems()) {
    CAPTURE(core::describe(problem));
    CHECK(core::attended_pairs(problem) == count_pairs(problem));
  }
}

TEST_CASE("key blocks and padded FLOPs equal a count over all tiles", "[core]") {
  const auto tile = GENERATE(Tile{4, 4}, Tile{3, 5}, Tile{16, 2}, Tile{1, 1});
  for (const AttentionProblem& problem : small_problems()) {
    CAPTURE(core::describe(problem), tile.m, tile.n);
    std::int64_t total = 0;
    for (std::int64_t m = 0; m < problem.seqlen_q; m += tile.m) {
      CHECK(core::key_blocks(problem, m + tile.m, tile.n) == count_blocks(problem, m, tile));
      total += count_blocks(problem, m, tile);
    }
    const std::int64_t flops = 4 * 64 * tile.m * tile.n * total * 6 * 2;
    CHECK(core::flops_tile_padded(problem, tile) == static_cast<double>(flops));
  }
}

TEST_CASE("slabs pass by the key blocks hidden from them, but one", "[core]") {
  const auto tile = GENERATE(Tile{4, 4, 2}, Tile{6, 5, 2}, Tile{6, 2, 3}, Tile{4, 3, 4});
  for (const AttentionProblem& problem : small_problems()) {
    const std::int64_t slab_m = *tile.slab_m;
    CAPTURE(core::describe(problem), tile.m, tile.n, slab_m);
    std::int64_t row_blocks = 0;
    for (std::int64_t m = 0; m < problem.seqlen_q; m += tile.m) {
      const std::int64_t of_tile = count_blocks(problem, m, tile);
      for (std::int64_t row = m; row < m + tile.m && of_tile > 0; row += slab_m) {
        const Tile slab{slab_m, tile.n};
        // Rows beyond the sequence do what the tile's last row does.
        const std::int64_t of_slab =
            row < problem.seqlen_q ? count_blocks(problem, row, slab) : of_tile;
        row_blocks += slab_m * std::max<std::int64_t>(of_slab, 1);
      }
    }
    const std::int64_t flops = 4 * 64 * tile.n * row_blocks * 6 * 2;
    CHECK(core::flops_tile_padded(problem, tile) == static_cast<double>(flops));
  }
}

TEST_CASE("channels beside those of V are executed with P V alone", "[core]") {
  for (const AttentionProblem& problem : small_problems()) {
    CAPTURE(core::describe(problem));
    const double plain = core::flops_tile_padded(problem, {4, 4});
    const double wider =
        core::flops_tile_padded(problem, {.m = 4, .n = 4, .value_channels = problem.head_dim + 8});
    CHECK(wider * (2.0 * static_cast<double>(problem.head_dim)) ==
          plain * (2.0 * static_cast<double>(problem.head_dim) + 8.0));
  }
}

TEST_CASE("a one by one tile executes exactly the attended pairs", "[core]") {
  for (const AttentionProblem& problem : small_problems()) {
    CHECK(core::flops_tile_padded(problem, {1, 1}) == core::flops_algorithmic(problem));
  }
}

TEST_CASE("FLOP conventions agree without a mask and differ by the diagonal with one", "[core]") {
  AttentionProblem problem{
      .batch = 2, .num_heads = 16, .num_heads_kv = 16, .seqlen_q = 8192, .seqlen_kv = 8192};
  CHECK(core::flops_convention(problem) == 1099511627776.0);  // 2^40
  CHECK(core::flops_algorithmic(problem) == core::flops_convention(problem));

  problem.is_causal = true;
  CHECK(core::flops_convention(problem) == 549755813888.0);
  const double diagonal_half = 4.0 * 128.0 * 32.0 * 8192.0 / 2.0;
  CHECK(core::flops_algorithmic(problem) == core::flops_convention(problem) + diagonal_half);
}

TEST_CASE("grouped key heads save bytes but no FLOPs", "[core]") {
  const AttentionProblem mha{
      .batch = 3, .num_heads = 8, .num_heads_kv = 8, .seqlen_q = 5, .seqlen_kv = 7};
  AttentionProblem gqa = mha;
  gqa.num_heads_kv = 2;
  CHECK(core::flops_algorithmic(gqa) == core::flops_algorithmic(mha));
  const double q_and_o = 2.0 * 2 * 3 * 8 * 5 * 128;
  const double lse = 4.0 * 3 * 8 * 5;
  CHECK(core::min_bytes(mha) == q_and_o + lse + 2.0 * 2 * 3 * 8 * 7 * 128);
  CHECK(core::min_bytes(gqa) == q_and_o + lse + 2.0 * 2 * 3 * 2 * 7 * 128);
}

TEST_CASE("sizes near the limit do not overflow the pair count", "[core]") {
  const std::int64_t longest = 2147483647;
  const AttentionProblem problem{.seqlen_q = longest, .seqlen_kv = longest};
  CHECK(core::attended_pairs(problem) == longest * longest);
  AttentionProblem causal = problem;
  causal.is_causal = true;
  CHECK(core::attended_pairs(causal) == longest * ((longest + 1) / 2));
}

TEST_CASE("data type names round trip and unknown ones are refused with the choices", "[core]") {
  for (const DataType dtype : {DataType::kFloat16, DataType::kBFloat16, DataType::kFloat8E4M3}) {
    CHECK(core::parse_data_type(core::name_of(dtype)) == dtype);
  }
  CHECK(core::parse_data_type("fp8") == DataType::kFloat8E4M3);
  CHECK(core::parse_data_type("e4m3") == DataType::kFloat8E4M3);
  CHECK_THROWS_AS(core::parse_data_type("fp32"), core::UsageError);
  CHECK_THROWS_WITH(core::parse_data_type("FP16"), contains("'FP16'") && contains("bf16"));
}

TEST_CASE("validate names the field that is out of range", "[core]") {
  CHECK_NOTHROW(core::validate({}));
  CHECK_THROWS_WITH(core::validate({.batch = 0}), contains("batch is 0"));
  CHECK_THROWS_WITH(core::validate({.seqlen_q = -1}), contains("seqlen_q is -1"));
  CHECK_THROWS_WITH(core::validate({.seqlen_kv = 2147483648}), contains("seqlen_kv"));
  CHECK_THROWS_WITH(core::validate({.head_dim = 0}), contains("head_dim"));
  CHECK_THROWS_WITH(core::validate({.num_heads = 6, .num_heads_kv = 4}),
                    contains("4 does not divide num_heads 6"));
  CHECK_THROWS_AS(core::validate({.num_heads = 2, .num_heads_kv = 4}), core::UsageError);
}

TEST_CASE("a problem is described on one line", "[core]") {
  AttentionProblem problem{
      .batch = 2, .num_heads = 16, .num_heads_kv = 16, .seqlen_q = 8192, .seqlen_kv = 4096};
  CHECK(core::describe(problem) == "fp16 b2 h16 sq8192 skv4096 d128");
  problem.num_heads_kv = 2;
  problem.is_causal = true;
  problem.dtype = DataType::kBFloat16;
  CHECK(core::describe(problem) == "bf16 b2 h16/2 sq8192 skv4096 d128 causal");
}

}  // namespace
}  // namespace fa3prof::tests
