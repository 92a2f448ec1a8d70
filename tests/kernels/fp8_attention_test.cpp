// The kernels in e4m3 on the GPU: the attention against FP64 on the numbers that the quantiser
// made, the quantiser against the numbers that it got.
#include "kernels/quantize/quantize.h"
#include "src/numerics/error_metrics.h"
#include "src/numerics/float_conversion.h"
#include "tests/catch.h"
#include "tests/kernels/fp8_run.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fa3prof::tests {
namespace {

using core::AttentionProblem;
using core::DataType;
namespace quantize = kernels::quantize;

/// Half a unit in the last of three fraction bits is 2^-4 of a weight at most, and 2.6 % in the
/// root mean square.
constexpr double kTolerance = 6.5e-2;
constexpr double kLseRelativeTolerance = 3e-3;
/// Of the sum of weights as they were cast: half a unit in the last of three fraction bits.
constexpr double kCastSumTolerance = 0x1p-4;
constexpr std::int64_t kRows = 256;

/// Short enough for all to be read back and turned into numbers.
constexpr ShapeLimits kShapes{
    .batch = 3, .large_batch = 5, .heads_kv = 2, .group = 3, .short_length = 260, .length = 1100};

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// O and LSE are near FP64 where that is finite, and not finite elsewhere. Returns the relative
/// error of O and, in `not_finite`, how many elements of O are not.
double check(const AttentionProblem& problem, const Fp8Run& run,
             const std::vector<numerics::RowIndex>& rows, std::int64_t* not_finite = nullptr) {
  const auto reference = run.operands.attention(rows);
  const auto actual = rows_of(problem, run.output, rows);
  const Agreement o = compare_kinds(reference.o, actual.o);
  const Agreement lse = compare_kinds(reference.lse, actual.lse);
  CHECK(o.different_kind == 0);
  CHECK(o.relative_error < kTolerance);
  CHECK(lse.different_kind == 0);
  double largest = 1.0;
  for (const double value : reference.lse) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  CHECK(lse.max_abs_error <
        kLseRelativeTolerance * largest + (run.sums_casts ? kCastSumTolerance : 0.0));
  CHECK(run.output.workspace == 0U);
  if (not_finite != nullptr) *not_finite = o.not_finite;
  return o.relative_error;
}

template <typename Use>
void for_each_fp8(const Use& use) {
  for (const std::string_view name : {core::kFp8, core::kFp8Flushing}) {
    if (!gpu_runs(name)) return;
    const core::AttentionKernel& kernel = core::find_kernel(name);
    for (const std::int64_t head_dim : kernel.head_dims) {
      for (const DataType dtype : kernel.dtypes) {
        for (const bool is_causal : {false, true}) {
          use(Variant{std::string(name), head_dim, dtype}, is_causal);
        }
      }
    }
  }
}

AttentionProblem problem_of(const Variant& variant, bool is_causal) {
  return {.batch = 2,
          .num_heads = 4,
          .num_heads_kv = 2,
          .seqlen_q = 300,
          .seqlen_kv = 420,
          .head_dim = variant.head_dim,
          .is_causal = is_causal,
          .dtype = variant.dtype};
}

void set(std::vector<std::uint16_t>& tensor, std::int64_t at, float value, DataType dtype) {
  numerics::encode(std::span(&value, 1), dtype,
                   std::span(tensor).subspan(static_cast<std::size_t>(at), 1));
}

}  // namespace

TEST_CASE("e4m3 agrees with FP64 on the quantised inputs of 24 random shapes each, and repeats",
          "[kernels][gpu][fp8]") {
  for_each_fp8([](const Variant& variant, bool is_causal) {
    std::mt19937 random(is_causal ? 7U : 11U);
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
      const AttentionProblem problem = random_problem(random, variant, is_causal, kShapes);
      INFO(variant.kernel << " " << core::describe(problem) << " seed " << seed);
      const Inputs inputs = random_inputs(problem, seed);
      const Fp8Run run = run_fp8(variant.kernel, problem, inputs);
      check(problem, run, spread_rows(problem, kRows));
      const Fp8Run again = run_fp8(variant.kernel, problem, inputs);
      CHECK(again.output.o == run.output.o);
      CHECK(again.output.lse == run.output.lse);
    }
  });
}

TEST_CASE("rows that see no key get zero output and minus infinity in e4m3",
          "[kernels][gpu][fp8]") {
  for_each_fp8([](const Variant& variant, bool is_causal) {
    if (!is_causal) return;
    AttentionProblem problem = problem_of(variant, true);
    problem.seqlen_kv = 37;
    INFO(variant.kernel << " " << core::describe(problem));
    const Fp8Run run = run_fp8(variant.kernel, problem, random_inputs(problem, 3));
    const auto rows = spread_rows(problem, problem.batch * problem.num_heads * problem.seqlen_q);
    check(problem, run, rows);
    const auto actual = rows_of(problem, run.output, {{0, 0, 0}, {1, 3, 262}});
    for (const double o : actual.o) CHECK(o == 0.0);
    CHECK(actual.lse == std::vector<double>(2, -kInfinity));
  });
}

TEST_CASE("scales per head serve as scales per block do", "[kernels][gpu][fp8]") {
  for_each_fp8([](const Variant& variant, bool is_causal) {
    const AttentionProblem problem = problem_of(variant, is_causal);
    INFO(variant.kernel << " " << core::describe(problem));
    check(problem,
          run_fp8(variant.kernel, problem, random_inputs(problem, 4),
                  {.scales = quantize::Scales::kPerHead, .signs = quantize::random_signs(1)}),
          spread_rows(problem, kRows));
  });
}

TEST_CASE("each quantised number is the nearest of its block's e4m3 numbers",
          "[kernels][gpu][fp8]") {
  for_each_fp8([](const Variant& variant, bool is_causal) {
    const AttentionProblem problem = problem_of(variant, is_causal);
    INFO(variant.kernel << " " << core::describe(problem));
    const Inputs inputs = random_inputs(problem, 9);
    const Fp8Run run = run_fp8(variant.kernel, problem, inputs, {.rotates = false});
    const auto head_dim = static_cast<std::size_t>(problem.head_dim);
    const auto compare = [&](const std::vector<std::uint16_t>& tensor, std::int64_t row,
                             const std::vector<double>& quantised, double removed) {
      std::vector<double> exact(head_dim);
      numerics::decode(
          std::span(tensor).subspan(static_cast<std::size_t>(row) * head_dim, head_dim),
          problem.dtype, std::span<double>(exact));
      for (std::size_t c = 0; c < head_dim; ++c) {
        // Half a unit in the last of three fraction bits; subnormals are below 1e-3 here.
        const double limit = (std::abs(exact[c]) + removed) * 1.001 / 16.0 + 1e-4;
        if (std::abs(quantised[c] - exact[c]) <= limit) continue;
        FAIL_CHECK("row " << row << " column " << c << ": " << quantised[c] << " for " << exact[c]);
      }
    };
    // Batch 1, head 1: behind the first of everything. No channel of V has a mean beyond 0.3.
    for (const std::int64_t row : {0, 1, 7, 8, 127, 128, 299}) {
      compare(inputs.q, (problem.seqlen_q + row) * problem.num_heads + 1,
              run.operands.query(problem.num_heads + 1, row), 0.0);
      compare(inputs.k, (problem.seqlen_kv + row) * problem.num_heads_kv + 1,
              run.operands.key(problem.num_heads_kv + 1, row), 0.0);
      compare(inputs.v, (problem.seqlen_kv + row) * problem.num_heads_kv + 1,
              run.operands.value(problem.num_heads_kv + 1, row), 0.3);
    }
  });
}

TEST_CASE("blocks of zeros give zero output and the logarithm of the keys", "[kernels][gpu][fp8]") {
  for_each_fp8([](const Variant& variant, bool is_causal) {
    const AttentionProblem problem = problem_of(variant, is_causal);
    INFO(variant.kernel << " " << core::describe(problem));
    Inputs inputs = random_inputs(problem, 2);
    for (auto* tensor : {&inputs.q, &inputs.k, &inputs.v}) tensor->assign(tensor->size(), 0);
    const Fp8Run run = run_fp8(variant.kernel, problem, inputs);
    CHECK(std::ranges::all_of(run.output.o, [](std::uint16_t bits) { return bits == 0; }));
    check(problem, run, spread_rows(problem, kRows));
  });
}

TEST_CASE("NaN or infinity in Q or K spoils the rows that see it, and no other",
          "[kernels][gpu][fp8]") {
  for_each_fp8([](const Variant& variant, bool is_causal) {
    const AttentionProblem problem = problem_of(variant, is_causal);
    auto rows = spread_rows(problem, 200);
    rows.push_back({0, 2, 5});
    for (const float bad : {kNan, kInfinity, -kInfinity}) {
      INFO(variant.kernel << " " << core::describe(problem) << " " << bad);
      Inputs inputs = random_inputs(problem, 6);
      set(inputs.q, (5 * problem.num_heads + 2) * problem.head_dim + 3, bad, problem.dtype);
      std::int64_t not_finite = 0;
      check(problem, run_fp8(variant.kernel, problem, inputs), rows, &not_finite);
      CHECK(not_finite >= problem.head_dim);
      CHECK(not_finite <= 2 * problem.head_dim);  // where the spread rows have it, too
      inputs = random_inputs(problem, 6);
      set(inputs.k, ((problem.seqlen_kv + 250) * problem.num_heads_kv + 1) * problem.head_dim, bad,
          problem.dtype);
      check(problem, run_fp8(variant.kernel, problem, inputs), rows, &not_finite);
      CHECK(not_finite > 0);
    }
  });
}

TEST_CASE("NaN or infinity in V spoils its channel where every row sees it",
          "[kernels][gpu][fp8]") {
  for_each_fp8([](const Variant& variant, bool is_causal) {
    if (is_causal) return;
    const AttentionProblem problem = problem_of(variant, false);
    for (const float bad : {kNan, kInfinity, -kInfinity}) {
      INFO(variant.kernel << " " << core::describe(problem) << " " << bad);
      Inputs inputs = random_inputs(problem, 8);
      set(inputs.v, (9 * problem.num_heads_kv + 1) * problem.head_dim + 11, bad, problem.dtype);
      std::int64_t not_finite = 0;
      const auto rows = spread_rows(problem, 200);
      check(problem, run_fp8(variant.kernel, problem, inputs), rows, &not_finite);
      // Heads 2 and 3 of batch 0: a quarter of the rows, one element each.
      CHECK(not_finite > 40);
      CHECK(not_finite < 60);
    }
  });
}

TEST_CASE("long sums of V of one sign are narrow, unless flushed or without their mean",
          "[kernels][gpu][fp8]") {
  if (!gpu_runs(core::kFp8)) return;
  const AttentionProblem problem{.seqlen_q = 128, .seqlen_kv = 16384, .head_dim = 128};
  Inputs inputs = random_inputs(problem, 1);
  inputs.q.assign(inputs.q.size(), 0);  // all weights are 1: only the sums are left to be wrong
  std::vector<float> v(inputs.v.size());
  numerics::decode(inputs.v, problem.dtype, std::span<float>(v));
  for (float& value : v) value = 1.0F + 0.1F * value;
  numerics::encode(v, problem.dtype, std::span(inputs.v));
  const auto error = [&](std::string_view kernel, bool removes_mean) {
    const Fp8Run run = run_fp8(kernel, problem, inputs, {.removes_mean = removes_mean});
    const auto rows = spread_rows(problem, 4);
    return numerics::compare(run.operands.attention(rows).o, rows_of(problem, run.output, rows).o)
        .relative_error;
  };
  CHECK(error(core::kFp8, false) > 2e-2);
  CHECK(error(core::kFp8, true) < 3e-3);
  CHECK(error(core::kFp8Flushing, false) < 5e-3);
}

}  // namespace fa3prof::tests
