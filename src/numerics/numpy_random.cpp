#include "src/numerics/numpy_random.h"

#include <algorithm>
#include <cmath>

namespace fa3prof::numerics {

double NumpyRandom::uniform() {
  const auto high = static_cast<double>(engine_() >> 5U);
  const auto low = static_cast<double>(engine_() >> 6U);
  return (high * 67108864.0 + low) / 9007199254740992.0;
}

double NumpyRandom::normal() {
  if (kept_) {
    const double value = *kept_;
    kept_.reset();
    return value;
  }
  double first = 0.0;
  double second = 0.0;
  double square = 0.0;
  do {
    first = 2.0 * uniform() - 1.0;
    second = 2.0 * uniform() - 1.0;
    square = first * first + second * second;
  } while (square >= 1.0 || square == 0.0);
  const double factor = std::sqrt(-2.0 * std::log(square) / square);
  kept_ = factor * first;
  return factor * second;
}

std::vector<float> NumpyRandom::normals(std::int64_t size) {
  std::vector<float> values(static_cast<std::size_t>(size));
  std::ranges::generate(values, [this] { return static_cast<float>(normal()); });
  return values;
}

}  // namespace fa3prof::numerics
