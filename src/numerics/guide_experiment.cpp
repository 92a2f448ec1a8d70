#include "src/numerics/guide_experiment.h"

#include "src/numerics/error_metrics.h"
#include "src/numerics/fp8.h"
#include "src/numerics/numpy_random.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

namespace fa3prof::numerics {
namespace {

constexpr std::size_t kSize = 128;  // rows and head_dim
constexpr float kLargest = 448.0F;
constexpr float kKeyOutlier = 15.0F;
constexpr float kQueryOutlier = 12.0F;

using Matrix = std::vector<float>;
using Rounding = std::function<float(float)>;

void scale_channel(Matrix& matrix, std::size_t channel, float factor) {
  for (std::size_t row = 0; row < kSize; ++row) matrix[row * kSize + channel] *= factor;
}

/// Each `block` of consecutive elements is brought to +-448, rounded, and brought back.
Matrix rounded(Matrix matrix, std::size_t block, const Rounding& round) {
  for (std::size_t begin = 0; begin < matrix.size(); begin += block) {
    const std::span<float> values = std::span(matrix).subspan(begin, block);
    float largest_magnitude = 0.0F;
    for (const float value : values) {
      largest_magnitude = std::max(largest_magnitude, std::abs(value));
    }
    for (float& value : values) {
      const float scaled = round(value * (kLargest / largest_magnitude));
      value = std::clamp(scaled, -kLargest, kLargest) * (largest_magnitude / kLargest);
    }
  }
  return matrix;
}

std::vector<float> scores(const Matrix& q, const Matrix& k) {
  const auto scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(kSize)));
  std::vector<float> products;
  products.reserve(kSize * kSize);
  for (std::size_t row = 0; row < kSize; ++row) {
    for (std::size_t key = 0; key < kSize; ++key) {
      float sum = 0.0F;
      for (std::size_t i = 0; i < kSize; ++i) sum += q[row * kSize + i] * k[key * kSize + i];
      products.push_back(sum * scale);
    }
  }
  return products;
}

float dot(const std::vector<float>& a, const std::vector<float>& b) {
  float sum = 0.0F;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

ScoreAgreement agreement_of(const std::vector<float>& reference, const std::vector<float>& actual) {
  const ErrorMetrics metrics = compare(std::vector<double>(reference.begin(), reference.end()),
                                       std::vector<double>(actual.begin(), actual.end()));
  const float norms = std::sqrt(dot(reference, reference)) * std::sqrt(dot(actual, actual));
  return {.mse = metrics.rmse * metrics.rmse,
          .cosine = dot(reference, actual) / norms,
          .exact_cosine = metrics.cosine};
}

}  // namespace

GuideExperiment guide_experiment() {
  NumpyRandom random(42);
  Matrix q = random.normals(kSize * kSize);
  Matrix k = random.normals(kSize * kSize);
  scale_channel(k, 4, kKeyOutlier);
  scale_channel(q, 19, kQueryOutlier);
  const std::vector<float> exact = scores(q, k);
  const auto agreement = [&](std::size_t block, const Rounding& round) {
    return agreement_of(exact, scores(rounded(q, block, round), rounded(k, block, round)));
  };
  // nearbyint rounds ties to even, as numpy.round does.
  const Rounding to_integer = [](float value) { return std::nearbyint(value); };
  const Rounding to_e4m3 = [](float value) {
    return decode_fp8(encode_fp8(value, Fp8Format::kE4M3), Fp8Format::kE4M3);
  };
  return {.grid_tensor = agreement(kSize * kSize, to_integer),
          .grid_row = agreement(kSize, to_integer),
          .e4m3_tensor = agreement(kSize * kSize, to_e4m3),
          .e4m3_row = agreement(kSize, to_e4m3)};
}

}  // namespace fa3prof::numerics
