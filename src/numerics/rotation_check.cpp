#include "src/numerics/rotation_check.h"

#include "src/numerics/hadamard.h"
#include "src/numerics/random_tensors.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

namespace fa3prof::numerics {
namespace {

constexpr std::size_t kRows = 64;

std::vector<double> normals(std::size_t size, std::uint64_t seed, std::uint64_t stream) {
  std::vector<double> values(size);
  for (std::size_t i = 0; i < size; ++i) {
    values[i] = normal_block(seed, stream, i / 4)[i % 4];
  }
  return values;
}

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double largest_error(std::size_t dim, std::uint64_t seed) {
  const std::vector<double> q = normals(kRows * dim, seed, 0);
  const std::vector<double> k = normals(kRows * dim, seed, 1);
  std::vector<double> rotated_q = q;
  std::vector<double> rotated_k = k;
  const auto signs = random_signs(static_cast<std::int64_t>(dim), seed);
  rotate_rows(std::span<double>(rotated_q), signs);
  rotate_rows(std::span<double>(rotated_k), signs);
  const auto row = [dim](const std::vector<double>& values, std::size_t index) {
    return std::span(values).subspan(index * dim, dim);
  };
  double largest = 0.0;
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t j = 0; j < kRows; ++j) {
      const double error = dot(row(rotated_q, i), row(rotated_k, j)) - dot(row(q, i), row(k, j));
      const double norms = std::sqrt(dot(row(q, i), row(q, i)) * dot(row(k, j), row(k, j)));
      largest = std::max(largest, std::abs(error) / norms);
    }
  }
  return largest;
}

}  // namespace

std::vector<RotationError> rotation_errors(std::uint64_t seed) {
  std::vector<RotationError> errors;
  for (std::int64_t dim = 1; dim <= 512; dim *= 2) {
    errors.push_back(
        {.head_dim = dim, .max_relative = largest_error(static_cast<std::size_t>(dim), seed)});
  }
  return errors;
}

}  // namespace fa3prof::numerics
