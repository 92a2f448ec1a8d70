#include "src/numerics/tensor_core.h"

#include <algorithm>
#include <array>
#include <bit>

namespace fa3prof::numerics {
namespace {

constexpr int kFractionBits = 13;
constexpr std::uint32_t kKeptBits = 0xFFFFFFFFU << (23U - kFractionBits);
constexpr std::int16_t kLowestExponent = -100;  // keeps the powers below inside of float
constexpr std::size_t kLanes = 64;              // columns at once: their state stays in L1

float power_of_two(int exponent) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(exponent + 127) << 23U);
}

std::int16_t float_exponent(float value) {
  const auto biased = static_cast<int>((std::bit_cast<std::uint32_t>(value) >> 23U) & 0xFFU);
  return static_cast<std::int16_t>(biased - 127);
}

/// The columns [begin, begin + count) of one step, count <= kLanes.
class Columns {
 public:
  Columns(const Step& step, std::size_t begin, std::size_t count)
      : step_(step), begin_(begin), count_(count) {}

  void add_to(float* sums);

 private:
  void find_largest_exponents(const float* sums);
  void sum_aligned(const float* sums);

  [[nodiscard]] std::size_t row(std::size_t k) const {
    return k * static_cast<std::size_t>(step_.b_stride) + begin_;
  }

  const Step& step_;
  std::size_t begin_;
  std::size_t count_;
  std::array<std::int16_t, kLanes> largest_{};
  std::array<float, kLanes> up_{};
  std::array<std::int32_t, kLanes> total_{};
};

void Columns::find_largest_exponents(const float* sums) {
  for (std::size_t j = 0; j < count_; ++j) {
    largest_[j] = std::max(kLowestExponent, float_exponent(sums[j]));
  }
  for (std::size_t k = 0; k < step_.a.size(); ++k) {
    const std::int16_t a = step_.a_exponents[k];
    const std::int16_t* b = step_.b_exponents + row(k);
    for (std::size_t j = 0; j < count_; ++j) {
      largest_[j] = std::max(largest_[j], static_cast<std::int16_t>(a + b[j]));
    }
  }
}

// The conversion to an integer cuts off what is below the last kept bit. Products have at most
// eight significant bits and powers of two are exact, so no float operation here rounds.
void Columns::sum_aligned(const float* sums) {
  for (std::size_t j = 0; j < count_; ++j) {
    up_[j] = power_of_two(kFractionBits - largest_[j]);
    total_[j] = static_cast<std::int32_t>(sums[j] * up_[j]);
  }
  for (std::size_t k = 0; k < step_.a.size(); ++k) {
    const float a = step_.a[k];
    const float* b = step_.b + row(k);
    for (std::size_t j = 0; j < count_; ++j) {
      total_[j] += static_cast<std::int32_t>(a * b[j] * up_[j]);
    }
  }
}

void Columns::add_to(float* sums) {
  find_largest_exponents(sums);
  sum_aligned(sums);
  for (std::size_t j = 0; j < count_; ++j) {
    const float sum = static_cast<float>(total_[j]) * power_of_two(largest_[j] - kFractionBits);
    sums[j] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(sum) & kKeptBits);
  }
}

}  // namespace

std::int16_t exponent_of(float value, int min_exponent) {
  if (value == 0.0F) return kZeroExponent;
  return std::max(float_exponent(value), static_cast<std::int16_t>(min_exponent));
}

void add_products_float32(const Step& step, std::span<float> sums) {
  for (std::size_t k = 0; k < step.a.size(); ++k) {
    const float a = step.a[k];
    const float* b = step.b + static_cast<std::int64_t>(k) * step.b_stride;
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += a * b[j];
  }
}

void add_products_hopper(const Step& step, std::span<float> sums) {
  for (std::size_t begin = 0; begin < sums.size(); begin += kLanes) {
    const std::size_t count = std::min(kLanes, sums.size() - begin);
    Columns(step, begin, count).add_to(sums.data() + begin);
  }
}

void add_products(Accumulator accumulator, const Step& step, std::span<float> sums) {
  if (accumulator == Accumulator::kHopperFp8) {
    add_products_hopper(step, sums);
  } else {
    add_products_float32(step, sums);
  }
}

}  // namespace fa3prof::numerics
