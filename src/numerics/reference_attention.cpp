#include "src/numerics/reference_attention.h"

#include "src/core/error.h"
#include "src/numerics/float_conversion.h"
#include "src/numerics/parallel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>

namespace fa3prof::numerics {
namespace {

constexpr std::size_t kBlockKeys = 32;                       // decoded at once, to stay in cache
constexpr std::size_t kGroupRows = 16;                       // share one decoding of K and V
constexpr std::size_t kGroupScores = std::size_t{1} << 20U;  // 8 MiB a thread

std::size_t to_size(std::int64_t value) { return static_cast<std::size_t>(value); }

std::int64_t kv_head(const core::AttentionProblem& problem, const RowIndex& row) {
  return row.head / (problem.num_heads / problem.num_heads_kv);
}

std::size_t visible_keys(const core::AttentionProblem& problem, const RowIndex& row) {
  if (!problem.is_causal) return to_size(problem.seqlen_kv);
  return to_size(std::max<std::int64_t>(0, row.row + 1 + problem.seqlen_kv - problem.seqlen_q));
}

// Eight partial sums, because the compiler may not reorder one sum into vector lanes by itself.
double dot(std::span<const double> a, std::span<const double> b) {
  std::array<double, 8> lanes{};
  std::size_t i = 0;
  for (; i + lanes.size() <= a.size(); i += lanes.size()) {
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      lanes[lane] += a[i + lane] * b[i + lane];
    }
  }
  for (; i < a.size(); ++i) lanes[0] += a[i] * b[i];
  return std::accumulate(lanes.begin(), lanes.end(), 0.0);
}

void add_scaled(std::span<double> sum, double factor, std::span<const double> values) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += factor * values[i];
}

// Turns scores into weights that sum to 1; returns the LSE.
double softmax(std::span<double> scores) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const double score : scores) largest = std::max(largest, score);
  double sum = 0.0;
  for (double& score : scores) {
    score = std::exp(score - largest);
    sum += score;
  }
  for (double& weight : scores) weight /= sum;
  return largest + std::log(sum);
}

/// One reference_rows call, shared by the threads.
class Request {
 public:
  Request(const core::AttentionProblem& problem, const HostTensors& tensors,
          std::span<const RowIndex> rows)
      : problem_(problem), tensors_(tensors), rows_(rows) {}

  /// Positions of the rows, sorted and cut so that the rows of a group read the same K and V.
  [[nodiscard]] std::vector<std::vector<std::size_t>> groups() const;

  /// Computes the rows at `members` of one group into the same positions of `result`.
  void solve(std::span<const std::size_t> members, ReferenceRows& result) const;

 private:
  /// Decodes `tensor` (K or V) for the rows at `members` and calls use(member, key, values) for
  /// every key that each of them sees, keys ascending. values: [head_dim].
  template <typename Use>
  void for_each_visible(std::span<const std::uint16_t> tensor, std::span<const std::size_t> members,
                        const Use& use) const;

  const core::AttentionProblem& problem_;
  const HostTensors& tensors_;
  std::span<const RowIndex> rows_;
};

std::vector<std::vector<std::size_t>> Request::groups() const {
  std::vector<std::size_t> order(rows_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto place = [this](std::size_t i) {
    return std::tuple(rows_[i].batch, kv_head(problem_, rows_[i]), rows_[i].row);
  };
  std::ranges::sort(order, {}, place);

  const std::size_t capacity =
      std::clamp<std::size_t>(kGroupScores / to_size(problem_.seqlen_kv), 1, kGroupRows);
  const auto same_head = [&](std::size_t a, std::size_t b) {
    return rows_[a].batch == rows_[b].batch &&
           kv_head(problem_, rows_[a]) == kv_head(problem_, rows_[b]);
  };
  std::vector<std::vector<std::size_t>> groups;
  for (const std::size_t position : order) {
    if (groups.empty() || groups.back().size() == capacity ||
        !same_head(groups.back().front(), position)) {
      groups.emplace_back();
    }
    groups.back().push_back(position);
  }
  return groups;
}

template <typename Use>
void Request::for_each_visible(std::span<const std::uint16_t> tensor,
                               std::span<const std::size_t> members, const Use& use) const {
  const std::size_t head_dim = to_size(problem_.head_dim);
  const std::size_t key_stride = to_size(problem_.num_heads_kv) * head_dim;
  const RowIndex& first = rows_[members.front()];
  const auto head = tensor.subspan(to_size(first.batch * problem_.seqlen_kv) * key_stride +
                                   to_size(kv_head(problem_, first)) * head_dim);
  // Rows ascend within a group: the last one sees the most keys.
  const std::size_t keys = visible_keys(problem_, rows_[members.back()]);
  std::vector<double> block(kBlockKeys * head_dim);
  for (std::size_t begin = 0; begin < keys; begin += kBlockKeys) {
    const std::size_t end = std::min(begin + kBlockKeys, keys);
    for (std::size_t key = begin; key < end; ++key) {
      decode(head.subspan(key * key_stride, head_dim), problem_.dtype,
             std::span(block).subspan((key - begin) * head_dim, head_dim));
    }
    for (std::size_t m = 0; m < members.size(); ++m) {
      const std::size_t seen = std::min(end, visible_keys(problem_, rows_[members[m]]));
      for (std::size_t key = begin; key < seen; ++key) {
        use(m, key, std::span<const double>(block).subspan((key - begin) * head_dim, head_dim));
      }
    }
  }
}

void Request::solve(std::span<const std::size_t> members, ReferenceRows& result) const {
  const std::size_t head_dim = to_size(problem_.head_dim);
  const double scale = softmax_scale(problem_);
  std::vector<std::vector<double>> queries;
  std::vector<std::vector<double>> scores;
  for (const std::size_t position : members) {
    const RowIndex& row = rows_[position];
    const std::int64_t q_row =
        (row.batch * problem_.seqlen_q + row.row) * problem_.num_heads + row.head;
    decode(tensors_.q.subspan(to_size(q_row) * head_dim, head_dim), problem_.dtype,
           queries.emplace_back(head_dim));
    scores.emplace_back(visible_keys(problem_, row));
  }
  for_each_visible(tensors_.k, members,
                   [&](std::size_t m, std::size_t key, std::span<const double> k) {
                     scores[m][key] = scale * dot(queries[m], k);
                   });
  for (std::size_t m = 0; m < members.size(); ++m) {
    if (!scores[m].empty()) result.lse[members[m]] = softmax(scores[m]);
  }
  const std::span<double> o(result.o);
  for_each_visible(tensors_.v, members,
                   [&](std::size_t m, std::size_t key, std::span<const double> v) {
                     add_scaled(o.subspan(members[m] * head_dim, head_dim), scores[m][key], v);
                   });
}

void require_size(std::size_t size, std::int64_t tokens, std::int64_t row, const char* name) {
  const std::int64_t expected = tokens * row;
  if (size == to_size(expected)) return;
  throw core::UsageError(std::string("reference: ") + name + " has " + std::to_string(size) +
                         " elements, the problem needs " + std::to_string(expected));
}

void check(const core::AttentionProblem& problem, const HostTensors& tensors,
           std::span<const RowIndex> rows) {
  validate(problem);
  const std::int64_t kv_row = problem.num_heads_kv * problem.head_dim;
  require_size(tensors.q.size(), problem.batch * problem.seqlen_q,
               problem.num_heads * problem.head_dim, "q");
  require_size(tensors.k.size(), problem.batch * problem.seqlen_kv, kv_row, "k");
  require_size(tensors.v.size(), problem.batch * problem.seqlen_kv, kv_row, "v");
  for (const RowIndex& row : rows) {
    if (row.batch < 0 || row.batch >= problem.batch || row.head < 0 ||
        row.head >= problem.num_heads || row.row < 0 || row.row >= problem.seqlen_q) {
      throw core::UsageError("reference: row (batch " + std::to_string(row.batch) + ", head " +
                             std::to_string(row.head) + ", row " + std::to_string(row.row) +
                             ") is outside of " + describe(problem));
    }
  }
}

}  // namespace

ReferenceRows reference_rows(const core::AttentionProblem& problem, const HostTensors& tensors,
                             std::span<const RowIndex> rows) {
  check(problem, tensors, rows);
  ReferenceRows result{
      .o = std::vector<double>(rows.size() * to_size(problem.head_dim), 0.0),
      .lse = std::vector<double>(rows.size(), -std::numeric_limits<double>::infinity())};
  const Request request(problem, tensors, rows);
  const auto groups = request.groups();
  for_each_chunk(
      static_cast<std::int64_t>(groups.size()), 1,
      [&](std::int64_t group, std::int64_t) { request.solve(groups[to_size(group)], result); });
  return result;
}

}  // namespace fa3prof::numerics
