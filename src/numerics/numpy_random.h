// NumPy's legacy generator, numpy.random.seed and randn: MT19937 (Matsumoto and Nishimura, ACM
// TOMACS 8, 1998) and Marsaglia's polar method, of whose pairs the second value is kept for the
// next call. Only so that an experiment published with a seed can be repeated.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace fa3prof::numerics {

class NumpyRandom {
 public:
  /// As numpy.random.seed(seed).
  explicit NumpyRandom(std::uint32_t seed) : engine_(seed) {}

  /// The next value of random_sample: uniform in [0, 1), 53 bits.
  [[nodiscard]] double uniform();

  /// The next value of randn: N(0, 1).
  [[nodiscard]] double normal();

  /// randn(size).astype(float32), in row-major order.
  [[nodiscard]] std::vector<float> normals(std::int64_t size);

 private:
  std::mt19937 engine_;
  std::optional<double> kept_;
};

}  // namespace fa3prof::numerics
