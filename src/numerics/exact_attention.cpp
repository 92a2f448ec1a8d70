#include "src/numerics/exact_attention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

namespace fa3prof::numerics {
namespace {

std::size_t to_size(std::int64_t value) { return static_cast<std::size_t>(value); }

// Eight partial sums, because the compiler may not reorder one sum into vector lanes by itself.
double dot(std::span<const float> a, std::span<const float> b) {
  std::array<double, 8> lanes{};
  std::size_t i = 0;
  for (; i + lanes.size() <= a.size(); i += lanes.size()) {
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      lanes[lane] += static_cast<double>(a[i + lane]) * static_cast<double>(b[i + lane]);
    }
  }
  for (; i < a.size(); ++i) lanes[0] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return std::accumulate(lanes.begin(), lanes.end(), 0.0);
}

/// The row of `values` at a position of a head.
std::span<const float> row_of(const std::vector<float>& values, const TensorShape& shape,
                              std::int64_t offset) {
  return std::span(values).subspan(to_size(offset), to_size(shape.head_dim));
}

void softmax(std::span<const double> scores, std::span<double> p) {
  const double largest = std::ranges::max(scores);
  std::ranges::transform(scores, p.begin(),
                         [largest](double score) { return std::exp(score - largest); });
  const double sum = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& weight : p) weight /= sum;
}

}  // namespace

std::int64_t visible_keys(const core::AttentionProblem& problem, std::int64_t row) {
  if (!problem.is_causal) return problem.seqlen_kv;
  return std::max<std::int64_t>(0, row + 1 + problem.seqlen_kv - problem.seqlen_q);
}

ExactRows exact_rows(const AttentionInputs& inputs, const RowRange& range) {
  const core::AttentionProblem& problem = inputs.problem;
  const TensorShape q_shape = inputs.q_shape();
  const TensorShape kv_shape = inputs.kv_shape();
  const std::int64_t kv_head = range.head / (problem.num_heads / problem.num_heads_kv);
  const std::size_t keys = to_size(problem.seqlen_kv);
  const std::size_t rows = to_size(range.count);
  const std::size_t dim = to_size(problem.head_dim);
  ExactRows exact{.s = std::vector<double>(rows * keys, -std::numeric_limits<double>::infinity()),
                  .p = std::vector<double>(rows * keys, 0.0),
                  .o = std::vector<double>(rows * dim, 0.0)};
  const double scale = softmax_scale(problem);
  const auto visible = [&](std::size_t row) {
    return visible_keys(problem, range.begin + static_cast<std::int64_t>(row));
  };
  for (std::int64_t key = 0; key < problem.seqlen_kv; ++key) {
    const auto k = row_of(inputs.k, kv_shape, kv_shape.offset(range.batch, kv_head, key));
    for (std::size_t row = 0; row < rows; ++row) {
      if (key >= visible(row)) continue;
      const std::int64_t position = range.begin + static_cast<std::int64_t>(row);
      const auto q = row_of(inputs.q, q_shape, q_shape.offset(range.batch, range.head, position));
      exact.s[row * keys + to_size(key)] = scale * dot(q, k);
    }
  }
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t seen = to_size(visible(row));
    if (seen == 0) continue;
    softmax(std::span(exact.s).subspan(row * keys, seen),
            std::span(exact.p).subspan(row * keys, seen));
  }
  for (std::int64_t key = 0; key < problem.seqlen_kv; ++key) {
    const auto v = row_of(inputs.v, kv_shape, kv_shape.offset(range.batch, kv_head, key));
    for (std::size_t row = 0; row < rows; ++row) {
      const double p = exact.p[row * keys + to_size(key)];
      if (key >= visible(row)) continue;
      for (std::size_t d = 0; d < dim; ++d) exact.o[row * dim + d] += p * static_cast<double>(v[d]);
    }
  }
  return exact;
}

}  // namespace fa3prof::numerics
