#include "src/numerics/reference_attention.h"

#include "src/core/error.h"
#include "src/numerics/float_conversion.h"
#include "src/numerics/random_tensors.h"
#include "tests/catch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace fa3prof::tests {
namespace {

using core::AttentionProblem;
using core::DataType;
using numerics::ReferenceRows;
using numerics::RowIndex;
using Bits = std::vector<std::uint16_t>;
using Values = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Q, K and V in memory of their own.
struct Tensors {
  Bits q;
  Bits k;
  Bits v;

  [[nodiscard]] numerics::HostTensors view() const { return {.q = q, .k = k, .v = v}; }
};

Bits bits_of(std::initializer_list<float> values) {
  Bits bits;
  for (const float value : values) bits.push_back(numerics::encode_float16(value));
  return bits;
}

Tensors random_tensors(const AttentionProblem& problem) {
  const auto size = [&](std::int64_t seqlen, std::int64_t heads) {
    return static_cast<std::size_t>(problem.batch * seqlen * heads * problem.head_dim);
  };
  Tensors tensors{.q = Bits(size(problem.seqlen_q, problem.num_heads)),
                  .k = Bits(size(problem.seqlen_kv, problem.num_heads_kv)),
                  .v = Bits(size(problem.seqlen_kv, problem.num_heads_kv))};
  numerics::fill_normal(tensors.q, problem.dtype, 11, 0);
  numerics::fill_normal(tensors.k, problem.dtype, 11, 1);
  numerics::fill_normal(tensors.v, problem.dtype, 11, 2);
  return tensors;
}

std::vector<RowIndex> all_rows(const AttentionProblem& problem) {
  std::vector<RowIndex> rows;
  for (std::int64_t batch = 0; batch < problem.batch; ++batch) {
    for (std::int64_t head = 0; head < problem.num_heads; ++head) {
      for (std::int64_t row = 0; row < problem.seqlen_q; ++row) rows.push_back({batch, head, row});
    }
  }
  return rows;
}

ReferenceRows solve(const AttentionProblem& problem, const Tensors& tensors) {
  return numerics::reference_rows(problem, tensors.view(), all_rows(problem));
}

// One element straight from the formula, in the order of its terms and without a maximum.
struct Naive {
  double o = 0.0;
  double lse = -kInfinity;
};

Naive naive(const AttentionProblem& p, const Tensors& tensors, const RowIndex& at, std::int64_t d) {
  const auto element = [&p](const Bits& bits, std::int64_t token, std::int64_t column) {
    const std::uint16_t pattern = bits[static_cast<std::size_t>(token * p.head_dim + column)];
    return double{p.dtype == DataType::kFloat16 ? numerics::decode_float16(pattern)
                                                : numerics::decode_bfloat16(pattern)};
  };
  const std::int64_t kv_head = at.head * p.num_heads_kv / p.num_heads;
  const std::int64_t q_token = (at.batch * p.seqlen_q + at.row) * p.num_heads + at.head;
  double sum = 0.0;
  double weighted = 0.0;
  for (std::int64_t key = 0; key < p.seqlen_kv; ++key) {
    if (p.is_causal && key > at.row + p.seqlen_kv - p.seqlen_q) continue;
    const std::int64_t kv_token = (at.batch * p.seqlen_kv + key) * p.num_heads_kv + kv_head;
    double score = 0.0;
    for (std::int64_t c = 0; c < p.head_dim; ++c) {
      score += element(tensors.q, q_token, c) * element(tensors.k, kv_token, c);
    }
    const double weight = std::exp(score / std::sqrt(static_cast<double>(p.head_dim)));
    sum += weight;
    weighted += weight * element(tensors.v, kv_token, d);
  }
  return sum > 0.0 ? Naive{.o = weighted / sum, .lse = std::log(sum)} : Naive{};
}

double largest_difference(const Values& a, const Values& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

TEST_CASE("attention over two keys matches a case computed by hand", "[numerics]") {
  // Scores 2 * 1 / sqrt(4) = 1 and 0: weights e / (e + 1) and 1 / (e + 1).
  const AttentionProblem problem{.seqlen_kv = 2, .head_dim = 4};
  const Tensors tensors{.q = bits_of({2, 0, 0, 0}),
                        .k = bits_of({1, 5, 0, 0, 0, 7, 0, 0}),
                        .v = bits_of({1, 0, 4, -1, 0, 1, 4, 1})};
  const ReferenceRows rows = solve(problem, tensors);
  const double e = std::exp(1.0);
  REQUIRE(rows.o.size() == 4);
  CHECK_THAT(rows.o[0], WithinRel(e / (e + 1.0), 1e-14));
  CHECK_THAT(rows.o[1], WithinRel(1.0 / (e + 1.0), 1e-14));
  CHECK_THAT(rows.o[2], WithinRel(4.0, 1e-14));
  CHECK_THAT(rows.o[3], WithinRel((1.0 - e) / (e + 1.0), 1e-14));
  CHECK_THAT(rows.lse[0], WithinRel(std::log(e + 1.0), 1e-14));
}

TEST_CASE("every row equals the plain formula, for all shapes, masks and types", "[numerics]") {
  const bool is_causal = GENERATE(false, true);
  const DataType dtype = GENERATE(DataType::kFloat16, DataType::kBFloat16);
  const std::int64_t seqlen_q = GENERATE(1, 5, 70);
  const std::int64_t seqlen_kv = GENERATE(1, 33, 70);
  const AttentionProblem problem{.batch = 2,
                                 .num_heads = 4,
                                 .num_heads_kv = 2,
                                 .seqlen_q = seqlen_q,
                                 .seqlen_kv = seqlen_kv,
                                 .head_dim = 20,  // neither a power of two nor whole lanes
                                 .is_causal = is_causal,
                                 .dtype = dtype};
  CAPTURE(core::describe(problem));
  const Tensors tensors = random_tensors(problem);
  const ReferenceRows actual = solve(problem, tensors);
  const std::vector<RowIndex> rows = all_rows(problem);
  int wrong = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const std::int64_t d : {0, 7, 19}) {
      const Naive expected = naive(problem, tensors, rows[i], d);
      const double o = actual.o[i * 20 + static_cast<std::size_t>(d)];
      const bool is_lse_right =
          actual.lse[i] == expected.lse || std::abs(actual.lse[i] - expected.lse) < 1e-12;
      if (!(std::abs(o - expected.o) < 1e-13) || !is_lse_right) ++wrong;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("with fewer keys than queries the first causal rows are empty", "[numerics]") {
  const AttentionProblem problem{.seqlen_q = 5, .seqlen_kv = 2, .head_dim = 8, .is_causal = true};
  const Tensors tensors = random_tensors(problem);
  const ReferenceRows rows = solve(problem, tensors);
  for (std::size_t row = 0; row < 3; ++row) {
    CHECK(rows.lse[row] == -kInfinity);
    for (std::size_t d = 0; d < 8; ++d) CHECK(rows.o[row * 8 + d] == 0.0);
  }
  // Row 3 sees one key, so its output is that key's value.
  CHECK(rows.o[3 * 8] == double{numerics::decode_float16(tensors.v[0])});
  CHECK(std::isfinite(rows.lse[4]));
}

TEST_CASE("with more keys than queries the last causal row sees all of them", "[numerics]") {
  AttentionProblem problem{.seqlen_q = 3, .seqlen_kv = 50, .head_dim = 16, .is_causal = true};
  const Tensors tensors = random_tensors(problem);
  const std::vector<RowIndex> last{{0, 0, 2}};
  const ReferenceRows masked = numerics::reference_rows(problem, tensors.view(), last);
  problem.is_causal = false;
  const ReferenceRows full = numerics::reference_rows(problem, tensors.view(), last);
  CHECK(masked.o == full.o);
  CHECK(masked.lse == full.lse);
}

TEST_CASE("adding a constant to all scores of a row moves the LSE and not the output",
          "[numerics]") {
  // The last column of Q is 1, so a constant there in every key adds to every score.
  const AttentionProblem problem{.seqlen_q = 6, .seqlen_kv = 40, .head_dim = 16};
  Tensors tensors = random_tensors(problem);
  const auto set_last_column = [](Bits& bits, float value) {
    for (std::size_t i = 15; i < bits.size(); i += 16) bits[i] = numerics::encode_float16(value);
  };
  set_last_column(tensors.q, 1.0F);
  set_last_column(tensors.k, 0.0F);
  const ReferenceRows base = solve(problem, tensors);
  const float shift = GENERATE(-8.0F, 4.0F, 30000.0F, -30000.0F);  // exp of the last two overflows
  set_last_column(tensors.k, shift);
  const ReferenceRows moved = solve(problem, tensors);
  CHECK(largest_difference(base.o, moved.o) < 1e-11);
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK_THAT(moved.lse[i] - base.lse[i], WithinAbs(double{shift} / 4.0, 1e-11));
  }
}

TEST_CASE("the order of the keys does not matter without a mask", "[numerics]") {
  const AttentionProblem problem{.seqlen_q = 9, .seqlen_kv = 77, .head_dim = 32};
  const Tensors tensors = random_tensors(problem);
  Tensors reversed{.q = tensors.q, .k = {}, .v = {}};
  for (std::size_t key = 77; key-- > 0;) {
    const auto begin = static_cast<std::ptrdiff_t>(key * 32);
    reversed.k.insert(reversed.k.end(), tensors.k.begin() + begin, tensors.k.begin() + begin + 32);
    reversed.v.insert(reversed.v.end(), tensors.v.begin() + begin, tensors.v.begin() + begin + 32);
  }
  const ReferenceRows forward = solve(problem, tensors);
  const ReferenceRows backward = solve(problem, reversed);
  CHECK(largest_difference(forward.o, backward.o) < 1e-13);
  CHECK(largest_difference(forward.lse, backward.lse) < 1e-13);
}

TEST_CASE("grouped heads equal full heads with repeated keys and values", "[numerics]") {
  const AttentionProblem gqa{.batch = 2,
                             .num_heads = 6,
                             .num_heads_kv = 2,
                             .seqlen_q = 12,
                             .seqlen_kv = 20,
                             .head_dim = 16,
                             .is_causal = true};
  const Tensors grouped = random_tensors(gqa);
  AttentionProblem mha = gqa;
  mha.num_heads_kv = 6;
  Tensors repeated{.q = grouped.q, .k = {}, .v = {}};
  for (std::size_t token = 0; token < 2 * 20; ++token) {
    for (std::size_t head = 0; head < 6; ++head) {
      const auto begin = static_cast<std::ptrdiff_t>((token * 2 + head / 3) * 16);
      repeated.k.insert(repeated.k.end(), grouped.k.begin() + begin,
                        grouped.k.begin() + begin + 16);
      repeated.v.insert(repeated.v.end(), grouped.v.begin() + begin,
                        grouped.v.begin() + begin + 16);
    }
  }
  const ReferenceRows a = solve(gqa, grouped);
  const ReferenceRows b = solve(mha, repeated);
  CHECK(a.o == b.o);
  CHECK(a.lse == b.lse);
}

TEST_CASE("a row's result is the same alone, repeated, or among all rows in any order",
          "[numerics]") {
  const AttentionProblem problem{.batch = 2,
                                 .num_heads = 4,
                                 .num_heads_kv = 2,
                                 .seqlen_q = 50,
                                 .seqlen_kv = 90,
                                 .head_dim = 24,
                                 .is_causal = true};
  const Tensors tensors = random_tensors(problem);
  std::vector<RowIndex> rows = all_rows(problem);
  const ReferenceRows together = numerics::reference_rows(problem, tensors.view(), rows);
  for (const std::size_t i : {std::size_t{0}, std::size_t{77}, std::size_t{399}}) {
    const std::vector<RowIndex> twice{rows[i], rows[i]};
    const ReferenceRows alone = numerics::reference_rows(problem, tensors.view(), twice);
    const auto expected = std::span(together.o).subspan(i * 24, 24);
    CHECK(std::ranges::equal(std::span(alone.o).first(24), expected));
    CHECK(std::ranges::equal(std::span(alone.o).last(24), expected));
    CHECK(alone.lse[1] == together.lse[i]);
  }
  std::ranges::reverse(rows);
  const ReferenceRows backward = numerics::reference_rows(problem, tensors.view(), rows);
  CHECK(std::ranges::equal(std::span(backward.o).last(24), std::span(together.o).first(24)));
}

TEST_CASE("a NaN in a visible key spoils the rows that see it and no other", "[numerics]") {
  const AttentionProblem problem{.seqlen_q = 4, .seqlen_kv = 4, .head_dim = 8, .is_causal = true};
  Tensors tensors = random_tensors(problem);
  tensors.k[2 * 8] = 0x7E00;
  const ReferenceRows rows = solve(problem, tensors);
  CHECK(std::isfinite(rows.lse[1]));
  CHECK(std::isfinite(rows.o[1 * 8]));
  CHECK(std::isnan(rows.lse[2]));
  CHECK(std::isnan(rows.o[2 * 8]));
  CHECK(std::isnan(rows.o[3 * 8 + 7]));
}

TEST_CASE("the reference refuses what does not fit the problem", "[numerics]") {
  AttentionProblem problem{.num_heads = 2, .num_heads_kv = 2, .seqlen_q = 3, .seqlen_kv = 4};
  const Tensors tensors = random_tensors(problem);
  const auto ask = [&](const RowIndex& row) {
    return numerics::reference_rows(problem, tensors.view(), std::vector<RowIndex>{row});
  };
  CHECK_NOTHROW(ask({0, 1, 2}));
  CHECK_THROWS_AS(ask({0, 0, 3}), core::UsageError);
  CHECK_THROWS_AS(ask({0, 2, 0}), core::UsageError);
  CHECK_THROWS_WITH(ask({1, 0, 0}), contains("row (batch 1, head 0, row 0) is outside"));
  CHECK_THROWS_AS(ask({0, 0, -1}), core::UsageError);

  problem.seqlen_kv = 5;
  CHECK_THROWS_WITH(ask({0, 0, 0}), contains("k has 1024 elements, the problem needs 1280"));
  problem.seqlen_kv = 4;
  problem.dtype = DataType::kFloat8E4M3;
  CHECK_THROWS_WITH(ask({0, 0, 0}), contains("fp8_e4m3"));
}

}  // namespace
}  // namespace fa3prof::tests
