// The kernels on the GPU against FP64.
#include "tests/catch.h"
#include "tests/kernels/gpu_attention.h"

#include <random>
#include <string>
#include <vector>

namespace fa3prof::tests {
namespace {

using core::AttentionProblem;

constexpr std::int64_t kRows = 2048;

/// Long enough for several tiles of each kind.
constexpr ShapeLimits kShapes{
    .batch = 4, .large_batch = 32, .heads_kv = 4, .group = 4, .short_length = 300, .length = 2100};

void check(const std::string& kernel, const AttentionProblem& problem, std::uint64_t seed,
           Order order = Order::kBatchSeqHead) {
  INFO(kernel << " " << core::describe(problem) << " seed " << seed);
  const Inputs inputs = random_inputs(problem, seed);
  const Output output = run_attention(kernel, problem, inputs, order);
  const Deviation error = deviation(problem, inputs, output, spread_rows(problem, kRows));
  CHECK(error.relative_error < tolerance(problem.dtype));
  CHECK(error.lse_max_abs_error < kLseTolerance);
  CHECK(output.workspace == 0U);
}

}  // namespace

TEST_CASE("every variant agrees with FP64 on 60 random shapes, causal and not", "[kernels][gpu]") {
  for (const Variant& variant : variants()) {
    if (!gpu_runs(variant.kernel)) continue;
    for (const bool is_causal : {false, true}) {
      std::mt19937 random(is_causal ? 7U : 11U);
      for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        check(variant.kernel, random_problem(random, variant, is_causal, kShapes), seed);
      }
    }
  }
}

TEST_CASE("every variant agrees with FP64 on lengths at tile edges", "[kernels][gpu]") {
  for (const Variant& variant : variants()) {
    if (!gpu_runs(variant.kernel)) continue;
    for (const std::int64_t q : {1, 63, 64, 65, 127, 128, 129, 192, 193}) {
      for (const std::int64_t kv : {1, 63, 64, 65, 79, 80, 81, 127, 128, 129, 160, 161, 257}) {
        for (const bool is_causal : {false, true}) {
          check(variant.kernel,
                {.batch = 2,
                 .num_heads = 2,
                 .num_heads_kv = 1,
                 .seqlen_q = q,
                 .seqlen_kv = kv,
                 .head_dim = variant.head_dim,
                 .is_causal = is_causal,
                 .dtype = variant.dtype},
                static_cast<std::uint64_t>(q * 1000 + kv));
        }
      }
    }
  }
}

TEST_CASE("64 query heads share 8 key heads", "[kernels][gpu]") {
  for (const Variant& variant : variants()) {
    if (!gpu_runs(variant.kernel)) continue;
    for (const bool is_causal : {false, true}) {
      check(variant.kernel,
            {.batch = 2,
             .num_heads = 64,
             .num_heads_kv = 8,
             .seqlen_q = 333,
             .seqlen_kv = 401,
             .head_dim = variant.head_dim,
             .is_causal = is_causal,
             .dtype = variant.dtype},
            is_causal ? 31U : 32U);
    }
  }
}

TEST_CASE("rows that see no key get zero output and minus infinity", "[kernels][gpu]") {
  const std::string kernel = GENERATE("fa1", "fa2", "fa3");
  if (!gpu_runs(kernel)) return;
  const AttentionProblem problem{.batch = 1,
                                 .num_heads = 1,
                                 .num_heads_kv = 1,
                                 .seqlen_q = 400,
                                 .seqlen_kv = 100,
                                 .head_dim = 128,
                                 .is_causal = true};
  const Inputs inputs = random_inputs(problem, 3);
  const Output output = run_attention(kernel, problem, inputs);
  for (std::size_t row = 0; row < 300; ++row) {
    REQUIRE(output.lse[row] == -std::numeric_limits<float>::infinity());
    for (std::size_t column = 0; column < 128; ++column) {
      REQUIRE((output.o[row * 128 + column] & 0x7FFFU) == 0U);
    }
  }
  CHECK(deviation(problem, inputs, output, spread_rows(problem, 400)).relative_error <
        tolerance(problem.dtype));
}

TEST_CASE("the order of the outer dimensions does not matter", "[kernels][gpu]") {
  const std::string kernel = GENERATE("fa1", "fa2", "fa3");
  if (!gpu_runs(kernel)) return;
  const AttentionProblem problem{.batch = 3,
                                 .num_heads = 4,
                                 .num_heads_kv = 2,
                                 .seqlen_q = 333,
                                 .seqlen_kv = 555,
                                 .head_dim = 128,
                                 .is_causal = true};
  const Inputs inputs = random_inputs(problem, 5);
  const Output dense = run_attention(kernel, problem, inputs, Order::kBatchSeqHead);
  const Output by_head = run_attention(kernel, problem, inputs, Order::kBatchHeadSeq);
  CHECK(dense.o == by_head.o);
  CHECK(dense.lse == by_head.lse);
}

TEST_CASE("results are bitwise the same from run to run", "[kernels][gpu]") {
  const std::string kernel = GENERATE("fa1", "fa2", "fa3");
  const bool is_causal = GENERATE(false, true);
  if (!gpu_runs(kernel)) return;
  const AttentionProblem problem{.batch = 2,
                                 .num_heads = 16,
                                 .num_heads_kv = 16,
                                 .seqlen_q = 1500,
                                 .seqlen_kv = 1500,
                                 .head_dim = 128,
                                 .is_causal = is_causal};
  const Inputs inputs = random_inputs(problem, 9);
  const Output first = run_attention(kernel, problem, inputs);
  const Output second = run_attention(kernel, problem, inputs);
  CHECK(first.o == second.o);
  CHECK(first.lse == second.lse);
}

TEST_CASE("negative scores alone give the right maximum", "[kernels][gpu]") {
  for (const Variant& variant : variants()) {
    if (!gpu_runs(variant.kernel)) continue;
    const AttentionProblem problem{.batch = 1,
                                   .num_heads = 2,
                                   .num_heads_kv = 2,
                                   .seqlen_q = 200,
                                   .seqlen_kv = 700,
                                   .head_dim = variant.head_dim,
                                   .is_causal = false,
                                   .dtype = variant.dtype};
    Inputs inputs = random_inputs(problem, 21);
    // |q| against -|k|: every score is far below zero.
    constexpr unsigned kSign = 0x8000U;
    for (std::uint16_t& q : inputs.q) q = static_cast<std::uint16_t>(q & ~kSign);
    for (std::uint16_t& k : inputs.k) k = static_cast<std::uint16_t>(k | kSign);
    INFO(variant.kernel << " " << core::describe(problem));
    const Output output = run_attention(variant.kernel, problem, inputs);
    const Deviation error = deviation(problem, inputs, output, spread_rows(problem, kRows));
    CHECK(error.relative_error < tolerance(problem.dtype));
    CHECK(error.lse_max_abs_error < kLseTolerance);
  }
}

TEST_CASE("kernels agree with FP64 on large tensors", "[kernels][gpu]") {
  const std::string kernel = GENERATE("fa1", "fa2", "fa3");
  if (!gpu_runs(kernel)) return;
  const AttentionProblem problem{.batch = 2,
                                 .num_heads = 16,
                                 .num_heads_kv = 16,
                                 .seqlen_q = 8192,
                                 .seqlen_kv = 8192,
                                 .head_dim = 128,
                                 .is_causal = false};
  const Inputs inputs = random_inputs(problem, 13);
  const Output output = run_attention(kernel, problem, inputs);
  CHECK(deviation(problem, inputs, output, spread_rows(problem, 256)).relative_error <
        tolerance(problem.dtype));
}

// Four tiles and more for each CTA, every other one with key blocks that half of its rows do not
// see: warps that fall out of step there once waited for a buffer that had been filled anew.
TEST_CASE("many short causal tiles per CTA run to their end, time after time", "[kernels][gpu]") {
  for (const Variant& variant : variants()) {
    if (!gpu_runs(variant.kernel)) continue;
    const AttentionProblem problem{.batch = 8,
                                   .num_heads = 2048 / variant.head_dim,
                                   .num_heads_kv = 2048 / variant.head_dim,
                                   .seqlen_q = 1024,
                                   .seqlen_kv = 1024,
                                   .head_dim = variant.head_dim,
                                   .is_causal = true,
                                   .dtype = variant.dtype};
    const Inputs inputs = random_inputs(problem, 14);
    CAPTURE(variant.kernel, variant.head_dim);
    const Output first = run_attention(variant.kernel, problem, inputs);
    CHECK(deviation(problem, inputs, first, spread_rows(problem, 256)).relative_error <
          tolerance(problem.dtype));
    for (int launch = 0; launch < 5; ++launch) {
      const Output again = run_attention(variant.kernel, problem, inputs);
      CHECK(again.o == first.o);
      CHECK(again.lse == first.lse);
    }
  }
}

}  // namespace fa3prof::tests
