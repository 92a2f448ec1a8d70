#include "tests/kernels/score_course.h"

#include "src/numerics/float_conversion.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <random>
#include <span>

namespace fa3prof::tests {
namespace {

constexpr double kQueryFactor = 16.0;  // keeps K below the largest float16

std::size_t to_size(std::int64_t value) { return static_cast<std::size_t>(value); }

std::uint16_t encode(double value, core::DataType dtype) {
  const auto single = static_cast<float>(value);
  std::uint16_t bits = 0;
  numerics::encode(std::span(&single, 1), dtype, std::span(&bits, 1));
  return bits;
}

/// -1, 0 and 1 with the same probability: a dot product over d of them has a standard deviation of
/// 2/3 sqrt(d), which is one exponent of two.
void fill_noise(std::span<std::uint16_t> out, core::DataType dtype, unsigned seed) {
  const std::array<std::uint16_t, 3> values{encode(-1.0, dtype), encode(0.0, dtype),
                                            encode(1.0, dtype)};
  std::minstd_rand random(seed);
  for (std::uint16_t& bits : out) bits = values[random() / 64 % values.size()];
}

/// The element of K that turns a Q of kQueryFactor into `exponent` exponents of two.
std::uint16_t key_element(double exponent, const core::AttentionProblem& problem) {
  const double raw = exponent / (core::softmax_scale(problem) * std::numbers::log2e);
  return encode(std::round(raw) / kQueryFactor, problem.dtype);
}

}  // namespace

Inputs course_inputs(const core::AttentionProblem& problem, const ScoreCourse& course,
                     std::int64_t tile_n) {
  Inputs inputs = random_inputs(problem, 41);
  fill_noise(inputs.q, problem.dtype, 42);
  fill_noise(inputs.k, problem.dtype, 43);

  const auto weight = [&](const std::vector<double>& weights, std::int64_t number) {
    return encode(kQueryFactor * weights[to_size(number) % weights.size()], problem.dtype);
  };
  const std::int64_t queries = problem.batch * problem.seqlen_q * problem.num_heads;
  for (std::int64_t i = 0; i < queries; ++i) {
    const std::int64_t head = i % problem.num_heads;
    const std::int64_t number = i / problem.num_heads % problem.seqlen_q + 3 * head;
    inputs.q[to_size(i * problem.head_dim)] = weight(course.rise_weights, number);
    inputs.q[to_size(i * problem.head_dim + 1)] = weight(course.base_weights, number);
  }
  const std::int64_t last_block = (problem.seqlen_kv - 1) / tile_n;
  const std::int64_t keys = problem.batch * problem.seqlen_kv * problem.num_heads_kv;
  for (std::int64_t i = 0; i < keys; ++i) {
    const std::int64_t key = i / problem.num_heads_kv % problem.seqlen_kv;
    const auto visited = static_cast<double>(last_block - key / tile_n);
    inputs.k[to_size(i * problem.head_dim)] = key_element(course.rise * visited, problem);
    inputs.k[to_size(i * problem.head_dim + 1)] = key_element(course.base, problem);
  }
  return inputs;
}

}  // namespace fa3prof::tests
