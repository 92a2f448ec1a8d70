// The online softmax of the kernels under scores made to break it: a reference that is raised only
// past a slack, a limit compared as integers, state that begins anew with each tile.
#include "src/numerics/float_conversion.h"
#include "tests/catch.h"
#include "tests/kernels/gpu_attention.h"
#include "tests/kernels/score_course.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <string>
#include <vector>

namespace fa3prof::tests {
namespace {

using core::AttentionProblem;

constexpr std::int64_t kRows = 256;

/// More tiles than any GPU has multiprocessors, twice over: most follow another tile.
constexpr std::int64_t kManyHeads = 320;

/// Limits in units of the usual ones; LSE also by its own size.
struct Limits {
  double o = 1.0;
  /// A maximum m is rounded as m * scale and in the sum with the logarithm, and scale itself is
  /// rounded three times: together below 2^-21 |LSE|.
  double lse_relative = 0x1p-21;
};

void check(const Variant& variant, const AttentionProblem& problem, const Inputs& inputs,
           const Limits& limits = {}) {
  INFO(variant.kernel << " " << core::describe(problem));
  const Output output = run_attention(variant.kernel, problem, inputs);
  double largest_lse = 0.0;
  for (const float lse : output.lse) {
    if (std::isfinite(lse)) largest_lse = std::max(largest_lse, std::abs(double{lse}));
  }
  const Deviation error = deviation(problem, inputs, output, spread_rows(problem, kRows));
  CHECK(error.relative_error < limits.o * tolerance(problem.dtype));
  CHECK(error.lse_max_abs_error < kLseTolerance + limits.lse_relative * largest_lse);
}

std::int64_t key_block(const Variant& variant, const AttentionProblem& problem) {
  return kernels::describe_launch(core::find_kernel(variant.kernel), problem).tile.n;
}

void check_course(const Variant& variant, const AttentionProblem& problem,
                  const ScoreCourse& course) {
  std::string weights;
  for (const double weight : course.rise_weights) weights += " " + std::to_string(weight);
  INFO("base " << course.base << " rise " << course.rise << " by row" << weights);
  check(variant, problem, course_inputs(problem, course, key_block(variant, problem)));
}

/// Several key blocks, the last one in part, and tiles that end inside a slab.
AttentionProblem problem_of(const Variant& variant, bool is_causal) {
  return {.batch = 1,
          .num_heads = 2,
          .num_heads_kv = 1,
          .seqlen_q = 200,
          .seqlen_kv = 900,
          .head_dim = variant.head_dim,
          .is_causal = is_causal,
          .dtype = variant.dtype};
}

template <typename Use>
void for_each_variant(const Use& use) {
  for (const Variant& variant : variants()) {
    if (!gpu_runs(variant.kernel)) continue;
    for (const bool is_causal : {false, true}) use(variant, is_causal);
  }
}

/// One row of 16 (a warp's tile of rows), both rows of a thread, one row of a warpgroup, and rows
/// that rise beside rows that fall or stay.
std::vector<std::vector<double>> row_patterns() {
  std::vector<double> one_of_16(16, 0.0);
  one_of_16[5] = 1.0;
  std::vector<double> upper_of_16(16, 0.0);
  upper_of_16[13] = 1.0;
  std::vector<double> one_of_64(64, 0.0);
  one_of_64[63] = 1.0;
  std::vector<double> one_falls(16, 1.0);
  one_falls[7] = -1.0;
  return {one_of_16, upper_of_16, one_of_64, one_falls, {1.0, -1.0, 0.0, 0.5, -0.5}};
}

void scale(std::vector<std::uint16_t>& bits, core::DataType dtype, float factor) {
  std::vector<float> values(bits.size());
  numerics::decode(bits, dtype, std::span<float>(values));
  for (float& value : values) value *= factor;
  numerics::encode(values, dtype, bits);
}

/// Sets K of the block visited as number `visited` to `first` in column 0 and -1 elsewhere;
/// seqlen_kv is a multiple of tile_n.
void set_block(Inputs& inputs, const AttentionProblem& problem, std::int64_t tile_n,
               std::int64_t visited, float first) {
  const std::int64_t end = problem.seqlen_kv - visited * tile_n;
  std::vector<float> row(static_cast<std::size_t>(problem.head_dim), -1.0F);
  row[0] = first;
  std::vector<std::uint16_t> bits(row.size());
  numerics::encode(row, problem.dtype, bits);
  const std::int64_t rows = problem.seqlen_kv * problem.num_heads_kv;
  for (std::int64_t i = 0; i < problem.batch * rows; ++i) {
    const std::int64_t key = i % rows / problem.num_heads_kv;
    if (key < end - tile_n || key >= end) continue;
    std::ranges::copy(bits, inputs.k.begin() + i * problem.head_dim);
  }
}

/// Q that picks column 0 of K: a score is -0 where that is -0, if products keep their signs.
Inputs first_column_inputs(const AttentionProblem& problem, std::uint64_t seed) {
  Inputs inputs = random_inputs(problem, seed);
  const auto head_dim = static_cast<std::size_t>(problem.head_dim);
  const float one = 1.0F;
  std::ranges::fill(inputs.q, std::uint16_t{0});
  for (std::size_t i = 0; i < inputs.q.size(); i += head_dim) {
    numerics::encode(std::span(&one, 1), problem.dtype, std::span(inputs.q).subspan(i, 1));
  }
  return inputs;
}

}  // namespace

// Scores of 1e4 carry a float32 error of up to 2^-19 of themselves after the 16 steps of head_dim
// 256. It moves LSE by as much, and O by less than the usual limit: few rows have two keys near.
TEST_CASE("scores of ten thousand agree with FP64", "[kernels][gpu]") {
  constexpr float kFactor = 2048.0F;  // scores N(0, 2048^2)
  for_each_variant([&](const Variant& variant, bool is_causal) {
    const AttentionProblem problem = problem_of(variant, is_causal);
    for (const float query_factor : {kFactor, 1.0F, 64.0F}) {
      Inputs inputs = random_inputs(problem, 51);
      scale(inputs.q, problem.dtype, query_factor);
      scale(inputs.k, problem.dtype, kFactor / query_factor);
      INFO("Q scaled by " << query_factor);
      check(variant, problem, inputs, {.o = 3.0, .lse_relative = 0x1p-19});
    }
  });
}

TEST_CASE("row maxima may rise and fall by any step from block to block", "[kernels][gpu]") {
  for_each_variant([](const Variant& variant, bool is_causal) {
    for (const double rise : {-300.0, -130.0, -8.5, -3.0, 0.0, 1.0, 3.0, 6.0, 7.5, 8.5, 14.5, 15.5,
                              40.0, 130.0, 300.0}) {
      check_course(variant, problem_of(variant, is_causal), {.rise = rise});
    }
  });
}

TEST_CASE("one row of a warp may rise alone", "[kernels][gpu]") {
  for_each_variant([](const Variant& variant, bool is_causal) {
    for (const double rise : {3.0, 8.5, 40.0, 130.0}) {
      for (const auto& rise_weights : row_patterns()) {
        check_course(variant, problem_of(variant, is_causal),
                     {.rise = rise, .rise_weights = rise_weights});
      }
    }
  });
}

TEST_CASE("scores far below zero may rise and fall", "[kernels][gpu]") {
  for_each_variant([](const Variant& variant, bool is_causal) {
    for (const double base : {-9.0, -14.5, -16.0, -25.0, -200.0, -9000.0}) {
      for (const double rise : {-9.0, 0.0, 3.0, 9.0, 40.0}) {
        check_course(variant, problem_of(variant, is_causal), {.base = base, .rise = rise});
      }
    }
  });
}

TEST_CASE("rows far below zero stand beside rows far above", "[kernels][gpu]") {
  for_each_variant([](const Variant& variant, bool is_causal) {
    for (const double rise : {3.0, 9.0, 130.0}) {
      for (const auto& rise_weights : row_patterns()) {
        check_course(variant, problem_of(variant, is_causal),
                     {.base = -40.0,
                      .rise = rise,
                      .base_weights = {1.0, 0.0, -1.0, 0.5, 0.375, 100.0, -100.0},
                      .rise_weights = rise_weights});
      }
    }
  });
}

TEST_CASE("a tile's softmax knows nothing of the tile before", "[kernels][gpu]") {
  for_each_variant([](const Variant& variant, bool is_causal) {
    AttentionProblem problem = problem_of(variant, is_causal);
    problem.num_heads = kManyHeads;
    problem.seqlen_q = 65;
    problem.seqlen_kv = 300;
    for (const double base : {-20.0, 30.0}) {
      for (const double rise : {-130.0, 8.5}) {
        check_course(variant, problem,
                     {.base = base,
                      .rise = rise,
                      .base_weights = {1.0, 1.0, 1.0, 0.0, 0.0, -1.0, -1.0, 50.0},
                      .rise_weights = {1.0, 0.0, 0.0, 1.0, -1.0}});
      }
    }
  });
}

// A column of 1 in Q leaves one product that is not zero; -0 is the lowest integer of all floats.
TEST_CASE("scores of zero and of minus zero count like any other", "[kernels][gpu]") {
  for (const Variant& variant : variants()) {
    if (!gpu_runs(variant.kernel)) continue;
    AttentionProblem problem = problem_of(variant, false);
    problem.num_heads = kManyHeads;
    problem.seqlen_q = 65;
    const std::int64_t tile_n = key_block(variant, problem);
    problem.seqlen_kv = 4 * tile_n;  // no mask, whose -inf would exceed every limit
    const auto below =
        static_cast<float>(-20.0 / (core::softmax_scale(problem) * std::numbers::log2e));
    for (const float zero : {0.0F, -0.0F}) {
      INFO("zero " << zero);
      Inputs inputs = first_column_inputs(problem, 61);
      set_block(inputs, problem, tile_n, 0, zero);
      check(variant, problem, inputs);
      set_block(inputs, problem, tile_n, 0, below);
      set_block(inputs, problem, tile_n, 1, zero);
      check(variant, problem, inputs);
      for (std::int64_t visited = 0; visited < 4; ++visited) {
        set_block(inputs, problem, tile_n, visited, zero);
      }
      check(variant, problem, inputs);
    }
  }
}

TEST_CASE("causal lengths at slab edges agree with FP64 under steep scores", "[kernels][gpu]") {
  const std::vector<std::int64_t> lengths{1,   63,  64,  65,  127, 128, 129,
                                          191, 192, 193, 320, 383, 384, 385};
  for (const Variant& variant : variants()) {
    if (!gpu_runs(variant.kernel)) continue;
    AttentionProblem problem = problem_of(variant, true);
    for (const std::int64_t q : lengths) {
      for (const std::int64_t kv : lengths) {
        problem.seqlen_q = q;
        problem.seqlen_kv = kv;
        check_course(variant, problem,
                     {.base = -18.0, .rise = 9.0, .rise_weights = {1.0, 0.0, -1.0, 0.5, 20.0}});
      }
    }
  }
}

// Its probability is 1 up to the rounding of the exponent, 2^-20, so O is V to the last bit.
TEST_CASE("a row that sees exactly one key returns its value", "[kernels][gpu]") {
  for (const Variant& variant : variants()) {
    if (!gpu_runs(variant.kernel)) continue;
    AttentionProblem problem = problem_of(variant, true);
    problem.num_heads = 1;
    for (const std::int64_t q : {1, 64, 65, 192, 193, 400}) {
      for (const std::int64_t kv : {std::int64_t{1}, q}) {
        problem.seqlen_q = q;
        problem.seqlen_kv = kv;
        INFO(variant.kernel << " " << core::describe(problem));
        const Inputs inputs = random_inputs(problem, 71);
        const Output output = run_attention(variant.kernel, problem, inputs);
        const auto row = output.o.begin() + (q - kv) * problem.head_dim;
        CHECK(std::equal(row, row + problem.head_dim, inputs.v.begin()));
      }
    }
  }
}

}  // namespace fa3prof::tests
