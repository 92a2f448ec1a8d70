#include "src/profile/verification.h"

#include "src/numerics/float_conversion.h"
#include "src/numerics/random_tensors.h"
#include "tests/catch.h"

#include <cmath>
#include <limits>
#include <vector>

namespace fa3prof::tests {
namespace {

using core::AttentionProblem;
using numerics::RowIndex;
using profile::VerifyMode;

/// A problem with its exact output, rounded to the output types: what a right kernel writes.
struct Judged {
  AttentionProblem problem;
  profile::Reference reference;
  std::vector<std::uint16_t> o;
  std::vector<float> lse;

  explicit Judged(const AttentionProblem& of) : problem(of) {
    const auto fill = [this](std::int64_t elements, std::uint64_t stream) {
      std::vector<std::uint16_t> bits(static_cast<std::size_t>(elements));
      numerics::fill_normal(bits, problem.dtype, 7, stream);
      return bits;
    };
    const auto row = problem.batch * problem.head_dim;
    const auto q = fill(row * problem.seqlen_q * problem.num_heads, 0);
    const auto k = fill(row * problem.seqlen_kv * problem.num_heads_kv, 1);
    const auto v = fill(row * problem.seqlen_kv * problem.num_heads_kv, 2);
    const auto rows = profile::choose_rows(problem, VerifyMode::kFull);
    reference = {rows, numerics::reference_rows(problem, {q, k, v}, rows)};
    o.resize(q.size());
    lse.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) write(rows[i], i);
  }

  [[nodiscard]] core::Verification verdict() const {
    return profile::verify(problem, problem.dtype, reference, {o, lse});
  }

  [[nodiscard]] std::size_t o_index(const RowIndex& at) const {
    return static_cast<std::size_t>(
        ((at.batch * problem.seqlen_q + at.row) * problem.num_heads + at.head) * problem.head_dim);
  }

  [[nodiscard]] std::size_t lse_index(const RowIndex& at) const {
    return static_cast<std::size_t>((at.batch * problem.num_heads + at.head) * problem.seqlen_q +
                                    at.row);
  }

 private:
  void write(const RowIndex& at, std::size_t i) {
    const auto head_dim = static_cast<std::size_t>(problem.head_dim);
    for (std::size_t d = 0; d < head_dim; ++d) {
      o[o_index(at) + d] =
          numerics::encode_float16(static_cast<float>(reference.values.o[i * head_dim + d]));
    }
    lse[lse_index(at)] = static_cast<float>(reference.values.lse[i]);
  }
};

const AttentionProblem kProblem{.batch = 2,
                                .num_heads = 3,
                                .num_heads_kv = 1,
                                .seqlen_q = 9,
                                .seqlen_kv = 6,
                                .head_dim = 16,
                                .is_causal = true};

const RowIndex kSomeRow{.batch = 1, .head = 2, .row = 5};

TEST_CASE("an exact output passes, rows that see no key included", "[profile]") {
  const Judged judged(kProblem);
  const auto verdict = judged.verdict();
  CHECK(verdict.failure.empty());
  CHECK(verdict.passed);
  CHECK(verdict.relative_error > 0.0);
  CHECK(verdict.relative_error < 5e-4);
  CHECK(verdict.tolerance == 1e-3);
  CHECK(verdict.rows_checked == 54);
  CHECK(verdict.rows_total == 54);
  CHECK(verdict.lse_max_abs_error < 1e-6);
}

TEST_CASE("e4m3 may be off by more than the problem's type, within a limit of its own",
          "[profile]") {
  Judged judged(kProblem);
  const auto scale = [&judged](float factor) {
    for (std::uint16_t& bits : judged.o) {
      bits = numerics::encode_float16(numerics::decode_float16(bits) * factor);
    }
  };
  const auto verdict = [&judged](core::DataType multiplied) {
    return profile::verify(judged.problem, multiplied, judged.reference, {judged.o, judged.lse});
  };
  scale(1.06F);
  CHECK_FALSE(verdict(core::DataType::kFloat16).passed);
  CHECK(verdict(core::DataType::kFloat8E4M3).passed);
  CHECK(verdict(core::DataType::kFloat8E4M3).tolerance == 0.1);
  scale(1.06F);
  CHECK_FALSE(verdict(core::DataType::kFloat8E4M3).passed);
}

TEST_CASE("poison left in O fails and is named by its place", "[profile]") {
  Judged judged(kProblem);
  judged.o[judged.o_index(kSomeRow) + 3] = 0xFFFF;
  const auto verdict = judged.verdict();
  CHECK_FALSE(verdict.passed);
  CHECK(verdict.failure == "O is NaN or was not written at batch 1, head 2, row 5, column 3");
}

TEST_CASE("infinity in O fails although no checked row holds it", "[profile]") {
  Judged judged(kProblem);
  judged.o[judged.o_index(kSomeRow)] = 0x7C00;
  judged.reference.rows.resize(1);
  judged.reference.values.o.resize(16);
  judged.reference.values.lse.resize(1);
  const auto verdict = judged.verdict();
  CHECK_FALSE(verdict.passed);
  CHECK_THAT(verdict.failure, contains("not finite at batch 1, head 2, row 5"));
}

TEST_CASE("NaN and misplaced infinities in LSE fail", "[profile]") {
  using Limits = std::numeric_limits<float>;
  const float bad = GENERATE(Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity());
  Judged judged(kProblem);
  judged.lse[judged.lse_index(kSomeRow)] = bad;
  const auto verdict = judged.verdict();
  CHECK_FALSE(verdict.passed);
  CHECK_THAT(verdict.failure, contains("LSE is") && contains("batch 1, head 2, row 5"));
}

TEST_CASE("a number in the LSE of a row that sees no key fails", "[profile]") {
  Judged judged(kProblem);
  judged.lse[judged.lse_index({.batch = 0, .head = 0, .row = 0})] = 0.0F;
  const auto verdict = judged.verdict();
  CHECK_FALSE(verdict.passed);
  CHECK_FALSE(std::isfinite(verdict.lse_max_abs_error));
  CHECK_THAT(verdict.failure, contains("instead of -inf at batch 0, head 0, row 0"));
}

TEST_CASE("one wrong row fails though the norm over all rows hides it", "[profile]") {
  AttentionProblem problem = kProblem;
  problem.is_causal = false;
  problem.seqlen_q = 2000;
  Judged judged(problem);
  const std::size_t at = judged.o_index(kSomeRow);
  for (std::size_t d = 0; d < 16; ++d) {
    const float value = numerics::decode_float16(judged.o[at + d]);
    judged.o[at + d] = numerics::encode_float16(value * 1.02F);
  }
  const auto verdict = judged.verdict();
  CHECK(verdict.relative_error < verdict.tolerance);
  CHECK_FALSE(verdict.passed);
  CHECK_THAT(verdict.failure, contains("at batch 1, head 2, row 5"));
}

TEST_CASE("an error that every row shares fails by the norm over all", "[profile]") {
  Judged judged(kProblem);
  for (std::uint16_t& bits : judged.o) {
    bits = numerics::encode_float16(numerics::decode_float16(bits) * 1.002F);
  }
  const auto verdict = judged.verdict();
  CHECK_FALSE(verdict.passed);
  CHECK(verdict.relative_error > verdict.tolerance);
  CHECK_THAT(verdict.failure, contains("over 54 rows"));
}

TEST_CASE("a wrong LSE fails", "[profile]") {
  Judged judged(kProblem);
  judged.lse[judged.lse_index(kSomeRow)] += 2e-3F;
  const auto verdict = judged.verdict();
  CHECK_FALSE(verdict.passed);
  CHECK_THAT(verdict.failure, contains("LSE is") && contains("batch 1, head 2, row 5"));
}

}  // namespace
}  // namespace fa3prof::tests
