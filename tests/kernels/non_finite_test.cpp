// NaN and infinities in the inputs: docs/kernels.md, "Inputs that are not finite".
#include "src/numerics/error_metrics.h"
#include "src/numerics/float_conversion.h"
#include "tests/catch.h"
#include "tests/kernels/gpu_attention.h"

#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace fa3prof::tests {
namespace {

using core::AttentionProblem;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::int64_t kRows = 400;
constexpr std::int64_t kBatch = 1;  // of the element that is not finite; 0 must not notice
constexpr std::int64_t kHead = 1;   // of K and V: query heads 2 and 3
constexpr std::int64_t kColumn = 37;

std::size_t to_size(std::int64_t value) { return static_cast<std::size_t>(value); }

AttentionProblem problem_of(const Variant& variant, bool is_causal) {
  return {.batch = 2,
          .num_heads = 4,
          .num_heads_kv = 2,
          .seqlen_q = 700,
          .seqlen_kv = 900,
          .head_dim = variant.head_dim,
          .is_causal = is_causal,
          .dtype = variant.dtype};
}

template <typename Use>
void for_each_problem(const Use& use) {
  for (const Variant& variant : variants()) {
    if (!gpu_runs(variant.kernel)) continue;
    for (const bool is_causal : {false, true}) {
      const AttentionProblem problem = problem_of(variant, is_causal);
      INFO(variant.kernel << " " << core::describe(problem));
      use(variant.kernel, problem);
    }
  }
}

void set(std::vector<std::uint16_t>& tensor, std::int64_t at, float value, core::DataType dtype) {
  numerics::encode(std::span(&value, 1), dtype, std::span(tensor).subspan(to_size(at), 1));
}

/// Element of K or V.
std::int64_t key_at(const AttentionProblem& problem, std::int64_t key) {
  return ((kBatch * problem.seqlen_kv + key) * problem.num_heads_kv + kHead) * problem.head_dim +
         kColumn;
}

/// Requires O and LSE to be right where the reference is finite and not finite elsewhere; returns
/// how many elements of O are not.
std::int64_t check(const AttentionProblem& problem, const Inputs& inputs, const Output& output,
                   const std::vector<numerics::RowIndex>& rows) {
  const auto reference = numerics::reference_rows(problem, {inputs.q, inputs.k, inputs.v}, rows);
  const auto actual = rows_of(problem, output, rows);
  const Agreement o = compare_kinds(reference.o, actual.o);
  const Agreement lse = compare_kinds(reference.lse, actual.lse);
  CHECK(o.different_kind == 0);
  CHECK(o.relative_error < tolerance(problem.dtype));
  CHECK(lse.different_kind == 0);
  CHECK(lse.max_abs_error < kLseTolerance);
  return o.not_finite;
}

/// Rows spread over all, and the neighbours of `row` in the affected heads.
std::vector<numerics::RowIndex> rows_near(const AttentionProblem& problem, std::int64_t row) {
  auto rows = spread_rows(problem, kRows);
  for (std::int64_t i = row - 20; i <= row + 20; ++i) {
    rows.push_back({kBatch, 2, i});
    rows.push_back({kBatch, 3, i});
  }
  return rows;
}

/// First row that sees `key`.
std::int64_t first_seeing(const AttentionProblem& problem, std::int64_t key) {
  return key - (problem.seqlen_kv - problem.seqlen_q);
}

}  // namespace

// Keys of either sign in the column: an infinite Q gives scores of +inf to some, and NaN with them.
TEST_CASE("NaN or infinity in a row of Q makes that row NaN and no other", "[kernels][gpu]") {
  for_each_problem([](const std::string& kernel, const AttentionProblem& problem) {
    for (const float value : {kNan, -kNan, kInfinity, -kInfinity}) {
      constexpr std::int64_t kRow = 333;
      Inputs inputs = random_inputs(problem, 81);
      set(inputs.q,
          ((kBatch * problem.seqlen_q + kRow) * problem.num_heads + 2) * problem.head_dim + kColumn,
          value, problem.dtype);
      INFO("value " << value);
      const Output output = run_attention(kernel, problem, inputs);
      check(problem, inputs, output, rows_near(problem, kRow));
      const auto row = rows_of(problem, output, {{kBatch, 2, kRow}});
      for (const double o : row.o) REQUIRE(std::isnan(o));
      CHECK(std::isnan(row.lse.front()));
    }
  });
}

TEST_CASE("NaN or infinity in a row of K reaches the rows that see it", "[kernels][gpu]") {
  for_each_problem([](const std::string& kernel, const AttentionProblem& problem) {
    for (const float value : {kNan, -kNan, kInfinity, -kInfinity}) {
      for (const std::int64_t key : {600, 639, 640}) {
        Inputs inputs = random_inputs(problem, 82);
        set(inputs.k, key_at(problem, key), value, problem.dtype);
        INFO("key " << key << " value " << value);
        const Output output = run_attention(kernel, problem, inputs);
        const auto rows = rows_near(problem, first_seeing(problem, key));
        CHECK(check(problem, inputs, output, rows) > 0);
      }
    }
  });
}

// A row that does not see the key may share a tile with one that does; then 0 * NaN reaches its
// column, and only the other columns are judged. No tile has more than 192 rows and 128 keys, or 16
// and 256.
TEST_CASE("NaN or infinity in a row of V stays in its column and tiles", "[kernels][gpu]") {
  constexpr std::int64_t kFarRows = 192 + 128;
  constexpr std::int64_t kKey = 700;
  for_each_problem([](const std::string& kernel, const AttentionProblem& problem) {
    const std::int64_t first = problem.is_causal ? first_seeing(problem, kKey) : 0;
    for (const float value : {kNan, kInfinity, -kInfinity}) {
      Inputs inputs = random_inputs(problem, 83);
      set(inputs.v, key_at(problem, kKey), value, problem.dtype);
      INFO("value " << value);
      const Output output = run_attention(kernel, problem, inputs);
      std::vector<numerics::RowIndex> decided;
      std::vector<numerics::RowIndex> beside;
      for (const auto& row : rows_near(problem, first_seeing(problem, kKey))) {
        const bool is_affected = row.batch == kBatch && row.head / 2 == kHead;
        const bool is_beside = row.row < first && row.row >= first - kFarRows;
        (is_affected && is_beside ? beside : decided).push_back(row);
      }
      CHECK(check(problem, inputs, output, decided) > 0);
      if (beside.empty()) continue;
      auto reference = numerics::reference_rows(problem, {inputs.q, inputs.k, inputs.v}, beside);
      auto actual = rows_of(problem, output, beside);
      for (std::size_t i = kColumn; i < actual.o.size(); i += to_size(problem.head_dim)) {
        actual.o[i] = reference.o[i] = 0.0;
      }
      CHECK(numerics::compare(reference.o, actual.o).relative_error < tolerance(problem.dtype));
      CHECK(numerics::compare(reference.lse, actual.lse).max_abs_error < kLseTolerance);
    }
  });
}

TEST_CASE("a row whose scores are all minus infinity is like one that sees no key",
          "[kernels][gpu]") {
  for_each_problem([](const std::string& kernel, const AttentionProblem& problem) {
    constexpr std::int64_t kRow = 400;
    Inputs inputs = random_inputs(problem, 84);
    for (std::size_t i = kColumn; i < inputs.k.size(); i += to_size(problem.head_dim)) {
      set(inputs.k, static_cast<std::int64_t>(i), -1.0F, problem.dtype);
    }
    set(inputs.q,
        ((kBatch * problem.seqlen_q + kRow) * problem.num_heads + 2) * problem.head_dim + kColumn,
        kInfinity, problem.dtype);
    const Output output = run_attention(kernel, problem, inputs);
    const auto row = rows_of(problem, output, {{kBatch, 2, kRow}});
    for (const double o : row.o) REQUIRE(o == 0.0);
    CHECK(row.lse.front() == -std::numeric_limits<double>::infinity());
    std::vector<numerics::RowIndex> others;
    for (const auto& at : rows_near(problem, kRow)) {
      if (!(at == numerics::RowIndex{kBatch, 2, kRow})) others.push_back(at);
    }
    CHECK(check(problem, inputs, output, others) == 0);
  });
}

}  // namespace fa3prof::tests
