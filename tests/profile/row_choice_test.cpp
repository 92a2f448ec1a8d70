#include "src/profile/verification.h"
#include "tests/catch.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

namespace fa3prof::tests {
namespace {

using core::AttentionProblem;
using numerics::RowIndex;
using profile::VerifyMode;

std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> as_set(
    const std::vector<RowIndex>& rows) {
  std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> set;
  for (const RowIndex& row : rows) set.emplace(row.batch, row.head, row.row);
  return set;
}

TEST_CASE("full verification takes every row once", "[profile]") {
  const AttentionProblem problem{.batch = 3, .num_heads = 5, .seqlen_q = 77, .seqlen_kv = 9};
  const auto rows = profile::choose_rows(problem, VerifyMode::kFull);
  CHECK(rows.size() == 1155);
  CHECK(as_set(rows).size() == rows.size());
}

void check_sampled_rows(const AttentionProblem& problem) {
  CAPTURE(problem.seqlen_q, problem.seqlen_kv);
  const auto rows = profile::choose_rows(problem, VerifyMode::kSampled);
  const auto total = static_cast<std::size_t>(problem.batch * problem.num_heads * problem.seqlen_q);
  CHECK(rows.size() <= 128);
  CHECK(rows.size() >= std::min<std::size_t>(total, 64));
  CHECK(as_set(rows).size() == rows.size());
  CHECK(std::ranges::all_of(rows, [&problem](const RowIndex& row) {
    return row.batch >= 0 && row.batch < problem.batch && row.head >= 0 &&
           row.head < problem.num_heads && row.row >= 0 && row.row < problem.seqlen_q;
  }));
}

TEST_CASE("sampled verification takes at most 128 distinct, existing rows", "[profile]") {
  const auto seqlen_q =
      GENERATE(as<std::int64_t>{}, 1, 2, 63, 64, 65, 127, 129, 1000, 8192, 131071);
  const auto seqlen_kv = GENERATE(as<std::int64_t>{}, 1, 64, 8192);
  check_sampled_rows({.batch = 2,
                      .num_heads = 16,
                      .seqlen_q = seqlen_q,
                      .seqlen_kv = seqlen_kv,
                      .is_causal = true});
}

TEST_CASE("sampled rows hold both corners, tile edges and the mask's edge", "[profile]") {
  const AttentionProblem problem{.batch = 2,
                                 .num_heads = 16,
                                 .num_heads_kv = 16,
                                 .seqlen_q = 5000,
                                 .seqlen_kv = 3000,
                                 .is_causal = true};
  const auto rows = as_set(profile::choose_rows(problem, VerifyMode::kSampled));
  for (const std::int64_t row : {0, 63, 64, 127, 128, 191, 192, 1999, 2000, 4991, 4992, 4999}) {
    CAPTURE(row);
    CHECK(rows.contains({0, 0, row}));
    CHECK(rows.contains({1, 15, row}));
  }
}

TEST_CASE("sampled rows reach every head and every eighth of the sequence", "[profile]") {
  const AttentionProblem problem{
      .batch = 2, .num_heads = 16, .num_heads_kv = 16, .seqlen_q = 8192, .seqlen_kv = 8192};
  const auto rows = profile::choose_rows(problem, VerifyMode::kSampled);
  std::set<std::pair<std::int64_t, std::int64_t>> heads;
  std::set<std::int64_t> eighths;
  for (const RowIndex& row : rows) {
    heads.emplace(row.batch, row.head);
    eighths.insert(row.row / 1024);
  }
  CHECK(heads.size() == 32);
  CHECK(eighths.size() == 8);
}

TEST_CASE("the same problem gives the same rows", "[profile]") {
  const AttentionProblem problem{.batch = 4, .num_heads = 8, .seqlen_q = 999, .seqlen_kv = 999};
  const auto first = profile::choose_rows(problem, VerifyMode::kSampled);
  CHECK(first == profile::choose_rows(problem, VerifyMode::kSampled));
}

}  // namespace
}  // namespace fa3prof::tests
