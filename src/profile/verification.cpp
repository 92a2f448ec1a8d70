#include "src/profile/verification.h"

#include "src/numerics/error_metrics.h"
#include "src/numerics/float_conversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>

namespace fa3prof::profile {
namespace {

using numerics::RowIndex;

constexpr std::uint16_t kPoison = 0xFFFF;  // two bytes of kPoisonByte

std::string text_of(const RowIndex& row) {
  return fmt::format("batch {}, head {}, row {}", row.batch, row.head, row.row);
}

/// Offset of a row of O in rows of head_dim elements.
std::size_t o_row(const core::AttentionProblem& problem, const RowIndex& at) {
  return static_cast<std::size_t>((at.batch * problem.seqlen_q + at.row) * problem.num_heads +
                                  at.head);
}

std::size_t lse_index(const core::AttentionProblem& problem, const RowIndex& at) {
  return static_cast<std::size_t>((at.batch * problem.num_heads + at.head) * problem.seqlen_q +
                                  at.row);
}

RowIndex row_of_o(const core::AttentionProblem& problem, std::size_t offset) {
  const auto row = static_cast<std::int64_t>(offset) / problem.head_dim;
  return {.batch = row / (problem.num_heads * problem.seqlen_q),
          .head = row % problem.num_heads,
          .row = row / problem.num_heads % problem.seqlen_q};
}

bool sees_no_key(const core::AttentionProblem& problem, std::int64_t row) {
  return problem.is_causal && row + problem.seqlen_kv - problem.seqlen_q < 0;
}

std::optional<std::string> find_bad_o(const core::AttentionProblem& problem,
                                      std::span<const std::uint16_t> o) {
  // An all-ones exponent is an infinity or a NaN.
  const std::uint16_t exponent = problem.dtype == core::DataType::kBFloat16 ? 0x7F80 : 0x7C00;
  const auto bad = std::ranges::find_if(
      o, [exponent](std::uint16_t bits) { return (bits & exponent) == exponent; });
  if (bad == o.end()) return std::nullopt;
  const auto offset = static_cast<std::size_t>(bad - o.begin());
  return fmt::format(
      "O {} at {}, column {}", *bad == kPoison ? "is NaN or was not written" : "is not finite",
      text_of(row_of_o(problem, offset)), offset % static_cast<std::size_t>(problem.head_dim));
}

std::optional<std::string> find_bad_lse(const core::AttentionProblem& problem,
                                        std::span<const float> lse) {
  for (std::size_t i = 0; i < lse.size(); ++i) {
    if (std::isfinite(lse[i])) continue;
    const auto index = static_cast<std::int64_t>(i);
    const RowIndex at{.batch = index / problem.seqlen_q / problem.num_heads,
                      .head = index / problem.seqlen_q % problem.num_heads,
                      .row = index % problem.seqlen_q};
    const bool is_minus_infinity = std::isinf(lse[i]) && lse[i] < 0.0F;
    if (is_minus_infinity && sees_no_key(problem, at.row)) continue;
    return fmt::format("LSE is {} at {}",
                       std::isnan(lse[i]) ? "NaN or was not written" : "infinite", text_of(at));
  }
  return std::nullopt;
}

/// What the kernel gave for the rows of the reference.
numerics::ReferenceRows gather(const core::AttentionProblem& problem,
                               std::span<const RowIndex> rows, const Output& output) {
  const auto head_dim = static_cast<std::size_t>(problem.head_dim);
  numerics::ReferenceRows actual;
  std::vector<float> row_values(head_dim);
  for (const RowIndex& row : rows) {
    numerics::decode(output.o.subspan(o_row(problem, row) * head_dim, head_dim), problem.dtype,
                     row_values);
    actual.o.insert(actual.o.end(), row_values.begin(), row_values.end());
    actual.lse.push_back(output.lse[lse_index(problem, row)]);
  }
  return actual;
}

std::optional<std::string> find_bad_row(const Reference& reference,
                                        const numerics::ReferenceRows& actual, double tolerance) {
  const std::size_t head_dim = reference.values.o.size() / reference.rows.size();
  const double limit = kRowToleranceFactor * tolerance;
  for (std::size_t i = 0; i < reference.rows.size(); ++i) {
    const auto row = [i, head_dim](const std::vector<double>& o) {
      return std::span(o).subspan(i * head_dim, head_dim);
    };
    const auto error = numerics::compare(row(reference.values.o), row(actual.o));
    if (error.relative_error < limit) continue;
    return fmt::format("O is off by {:.2e} of its norm at {}, the limit for a row is {:.1e}",
                       error.relative_error, text_of(reference.rows[i]), limit);
  }
  return std::nullopt;
}

std::optional<std::string> find_bad_row_lse(const Reference& reference,
                                            const numerics::ReferenceRows& actual,
                                            double tolerance) {
  for (std::size_t i = 0; i < reference.rows.size(); ++i) {
    const double expected = reference.values.lse[i];
    const bool is_equal =
        expected == actual.lse[i] || std::abs(expected - actual.lse[i]) < tolerance;
    if (is_equal) continue;
    return fmt::format("LSE is {:.6g} instead of {:.6g} at {}", actual.lse[i], expected,
                       text_of(reference.rows[i]));
  }
  return std::nullopt;
}

/// The first failure of the checked rows, or nothing; fills the errors of `result`.
std::optional<std::string> check_rows(const core::AttentionProblem& problem,
                                      const Reference& reference, const Output& output,
                                      double lse_limit, core::Verification& result) {
  const auto actual = gather(problem, reference.rows, output);
  const auto error = numerics::compare(reference.values.o, actual.o);
  result.relative_error = error.relative_error;
  result.max_abs_error = error.max_abs_error;
  result.lse_max_abs_error = numerics::compare(reference.values.lse, actual.lse).max_abs_error;
  if (auto bad = find_bad_row(reference, actual, result.tolerance)) return bad;
  if (auto bad = find_bad_row_lse(reference, actual, lse_limit)) return bad;
  if (error.relative_error < result.tolerance) return std::nullopt;
  return fmt::format("O is off by {:.2e} of its norm over {} rows, the limit is {:.1e}",
                     error.relative_error, reference.rows.size(), result.tolerance);
}

}  // namespace

double relative_tolerance(core::DataType multiplied) {
  if (multiplied == core::DataType::kFloat8E4M3) return 0.1;
  return multiplied == core::DataType::kBFloat16 ? 8e-3 : 1e-3;
}

double lse_tolerance(core::DataType multiplied) {
  return multiplied == core::DataType::kFloat8E4M3 ? 0.3 : 1e-3;
}

core::Verification verify(const core::AttentionProblem& problem, core::DataType multiplied,
                          const Reference& reference, const Output& output) {
  core::Verification result;
  result.tolerance = relative_tolerance(multiplied);
  result.rows_checked = static_cast<std::int64_t>(reference.rows.size());
  result.rows_total = problem.batch * problem.num_heads * problem.seqlen_q;
  auto failure = find_bad_o(problem, output.o);
  if (!failure) failure = find_bad_lse(problem, output.lse);
  if (!failure) failure = check_rows(problem, reference, output, lse_tolerance(multiplied), result);
  result.passed = !failure;
  result.failure = failure.value_or("");
  return result;
}

core::Verification failed_verification(const core::AttentionProblem& problem,
                                       core::DataType multiplied, const std::string& reason) {
  constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();
  return {.passed = false,
          .relative_error = kNotMeasured,
          .tolerance = relative_tolerance(multiplied),
          .max_abs_error = kNotMeasured,
          .lse_max_abs_error = kNotMeasured,
          .rows_checked = 0,
          .rows_total = problem.batch * problem.num_heads * problem.seqlen_q,
          .failure = reason};
}

}  // namespace fa3prof::profile
