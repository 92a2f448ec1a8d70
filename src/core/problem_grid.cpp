#include "src/core/problem_grid.h"

#include "src/core/error.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>

namespace fa3prof::core {
namespace {

constexpr std::int64_t kTokens = 16384;
constexpr std::int64_t kHiddenSize = 2048;
constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();

template <typename T>
std::vector<T> stated_or(const std::vector<T>& list, T fallback) {
  return list.empty() ? std::vector<T>{fallback} : list;
}

template <typename T>
void override_with(std::vector<T>& base, const std::vector<T>& stated) {
  if (!stated.empty()) base = stated;
}

[[noreturn]] void refuse(std::string_view item, std::string_view flag) {
  throw UsageError(
      std::string(flag) + ": '" + std::string(item) +
      "' is no size between 1 and 2147483647; write 512, 8k, 2^14 or a list 512,1k,2k");
}

std::int64_t parse_integer(std::string_view text, std::string_view item, std::string_view flag) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > kLargest) {
    refuse(item, flag);
  }
  return value;
}

std::int64_t parse_size(std::string_view item, std::string_view flag) {
  const auto caret = item.find('^');
  std::int64_t value = 1;
  if (caret != std::string_view::npos) {
    const std::int64_t base = parse_integer(item.substr(0, caret), item, flag);
    const std::int64_t exponent = parse_integer(item.substr(caret + 1), item, flag);
    for (std::int64_t i = 0; i < exponent && value <= kLargest && base > 1; ++i) value *= base;
  } else {
    std::int64_t unit = 1;
    std::string_view digits = item;
    if (!item.empty() && (item.back() == 'k' || item.back() == 'K')) unit = 1024;
    if (!item.empty() && (item.back() == 'm' || item.back() == 'M')) unit = 1024 * 1024;
    if (unit > 1) digits.remove_suffix(1);
    value = parse_integer(digits, item, flag) * unit;
  }
  if (value > kLargest) refuse(item, flag);
  return value;
}

}  // namespace

ProblemGrid merge(const ProblemGrid& base, const ProblemGrid& overrides) {
  ProblemGrid grid = base;
  override_with(grid.dtypes, overrides.dtypes);
  override_with(grid.head_dims, overrides.head_dims);
  override_with(grid.causal, overrides.causal);
  override_with(grid.seqlens_q, overrides.seqlens_q);
  override_with(grid.seqlens_kv, overrides.seqlens_kv);
  override_with(grid.batches, overrides.batches);
  override_with(grid.num_heads, overrides.num_heads);
  override_with(grid.num_heads_kv, overrides.num_heads_kv);
  return grid;
}

std::vector<AttentionProblem> deal(const std::vector<AttentionProblem>& problems,
                                   const std::optional<Shard>& shard) {
  if (!shard) return problems;
  std::vector<AttentionProblem> dealt;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    if (is_in(*shard, i)) dealt.push_back(problems[i]);
  }
  return dealt;
}

std::vector<AttentionProblem> expand(const ProblemGrid& grid) {
  std::vector<AttentionProblem> problems{AttentionProblem{}};
  // Multiplies the list so far by one more field; `values` may depend on the fields set before it.
  const auto vary = [&problems](auto values, auto assign) {
    std::vector<AttentionProblem> varied;
    for (const AttentionProblem& problem : problems) {
      for (const auto value : values(problem)) {
        AttentionProblem next = problem;
        assign(next, value);
        varied.push_back(next);
      }
    }
    problems = std::move(varied);
  };
  using P = AttentionProblem;
  vary([&](const P&) { return stated_or(grid.dtypes, DataType::kFloat16); },
       [](P& p, DataType v) { p.dtype = v; });
  vary([&](const P&) { return stated_or<std::int64_t>(grid.head_dims, 128); },
       [](P& p, std::int64_t v) { p.head_dim = v; });
  vary([&](const P&) { return stated_or(grid.causal, false); },
       [](P& p, bool v) { p.is_causal = v; });
  vary([&](const P&) { return stated_or<std::int64_t>(grid.seqlens_q, 8192); },
       [](P& p, std::int64_t v) { p.seqlen_q = v; });
  vary([&](const P& p) { return stated_or(grid.seqlens_kv, p.seqlen_q); },
       [](P& p, std::int64_t v) { p.seqlen_kv = v; });
  vary(
      [&](const P& p) {
        return stated_or(grid.batches, std::max<std::int64_t>(1, kTokens / p.seqlen_q));
      },
      [](P& p, std::int64_t v) { p.batch = v; });
  vary(
      [&](const P& p) {
        return stated_or(grid.num_heads, std::max<std::int64_t>(1, kHiddenSize / p.head_dim));
      },
      [](P& p, std::int64_t v) { p.num_heads = v; });
  vary([&](const P& p) { return stated_or(grid.num_heads_kv, p.num_heads); },
       [](P& p, std::int64_t v) { p.num_heads_kv = v; });
  std::ranges::for_each(problems, [](const P& p) { validate(p); });
  return problems;
}

ProblemGrid grid_of(const AttentionProblem& problem) {
  return {.dtypes = {problem.dtype},
          .head_dims = {problem.head_dim},
          .causal = {problem.is_causal},
          .seqlens_q = {problem.seqlen_q},
          .seqlens_kv = {problem.seqlen_kv},
          .batches = {problem.batch},
          .num_heads = {problem.num_heads},
          .num_heads_kv = {problem.num_heads_kv}};
}

std::vector<std::int64_t> parse_sizes(std::string_view text, std::string_view flag) {
  std::vector<std::int64_t> sizes;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    sizes.push_back(parse_size(text.substr(begin, comma - begin), flag));
    begin = comma + 1;
  }
  return sizes;
}

}  // namespace fa3prof::core
