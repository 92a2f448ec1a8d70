#include "src/numerics/tensor_core.h"

#include "src/numerics/fp8.h"
#include "tests/catch.h"

#include <cmath>
#include <random>
#include <vector>

namespace fa3prof::tests {
namespace {

constexpr int kMinExponent = -6;  // of E4M3

std::vector<std::int16_t> exponents_of(const std::vector<float>& values) {
  std::vector<std::int16_t> exponents;
  for (const float value : values) {
    exponents.push_back(numerics::exponent_of(value, kMinExponent));
  }
  return exponents;
}

// sum + a . b by one step of at most 32 products, one column.
float step(float sum, const std::vector<float>& a, const std::vector<float>& b) {
  const auto a_exponents = exponents_of(a);
  const auto b_exponents = exponents_of(b);
  numerics::add_products_hopper({.a = a,
                                 .a_exponents = a_exponents,
                                 .b = b.data(),
                                 .b_exponents = b_exponents.data(),
                                 .b_stride = 1},
                                std::span(&sum, 1));
  return sum;
}

// Steps of 32 ones times `value` from zero, restarted in FP32 every `flush` products.
float sum_of_equal(float value, int products, int flush) {
  const std::vector<float> ones(32, 1.0F);
  const std::vector<float> values(32, value);
  float total = 0.0F;
  float sum = 0.0F;
  for (int done = 32; done <= products; done += 32) {
    sum = step(sum, ones, values);
    if (flush > 0 && done % flush == 0) {
      total += sum;
      sum = 0.0F;
    }
  }
  return total + sum;
}

TEST_CASE("the FP8 accumulator of Hopper keeps 13 fraction bits and cuts off the rest",
          "[numerics]") {
  // As measured on an H200: 1 + 2^-k survives up to k = 13.
  const auto one_plus = [](int k) {
    return step(1.0F, {std::ldexp(1.0F, -(k / 2))}, {std::ldexp(1.0F, -(k - k / 2))});
  };
  CHECK(one_plus(12) == 1.0F + 0x1p-12F);
  const float last = step(1.0F, {0x1p-6F, 0.0F}, {0x1p-7F, 0.0F});
  CHECK(last == 1.0F + 0x1p-13F);
  CHECK(step(1.0F, {0x1p-7F}, {0x1p-7F}) == 1.0F);
  CHECK(step(-1.0F, {0x1p-7F}, {-0x1p-7F}) == -1.0F);
}

TEST_CASE("each product is cut off before the sum, not after it", "[numerics]") {
  // 32 products of 2^-14 are 2^-9 together, yet none of them reaches the last bit beside 1.
  CHECK(step(1.0F, std::vector<float>(32, 0x1p-7F), std::vector<float>(32, 0x1p-7F)) == 1.0F);
  CHECK(step(0.0F, std::vector<float>(32, 0x1p-7F), std::vector<float>(32, 0x1p-7F)) == 0x1p-9F);
}

TEST_CASE("a sum of ones stalls at 16384, as measured on an H200", "[numerics]") {
  CHECK(sum_of_equal(1.0F, 16384, 0) == 16384.0F);
  CHECK(sum_of_equal(1.0F, 32768, 0) == 16384.0F);
  CHECK(sum_of_equal(1.0F, 32768, 128) == 32768.0F);
}

TEST_CASE("the alignment goes by exponents of factors, so 1.5 x 1.5 counts as 2^0", "[numerics]") {
  // 2.25 has exponent 1, but the sum is aligned to the exponents' sum, 0: 2^-13 survives beside it
  // and is lost only when the result is normalised to exponent 1.
  const float sum = step(0.0F, {1.5F, 0x1p-6F, 0x1p-6F}, {1.5F, 0x1p-7F, 0x1p-7F});
  CHECK(sum == 2.25F + 0x1p-12F);
}

TEST_CASE("a subnormal factor counts with the smallest normal exponent", "[numerics]") {
  CHECK(numerics::exponent_of(0x1p-9F, kMinExponent) == -6);
  CHECK(numerics::exponent_of(0x1p-6F, kMinExponent) == -6);
  CHECK(numerics::exponent_of(-448.0F, kMinExponent) == 8);
  CHECK(numerics::exponent_of(0.0F, kMinExponent) == numerics::kZeroExponent);
}

TEST_CASE("zeros change nothing, not even the alignment", "[numerics]") {
  CHECK(step(0.0F, {0.0F, 0.0F}, {448.0F, 448.0F}) == 0.0F);
  CHECK(step(0x1p-20F, {0.0F}, {448.0F}) == 0x1p-20F);
}

TEST_CASE("what few bits suffice for is exact in both accumulators, in every column",
          "[numerics]") {
  const std::size_t columns = 70;  // more than the code takes at once
  const std::vector<float> a(8, 2.0F);
  std::vector<float> b(8 * columns);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 13) - 6.0F;
  const auto a_exponents = exponents_of(a);
  const auto b_exponents = exponents_of(b);
  const numerics::Step product{.a = a,
                               .a_exponents = a_exponents,
                               .b = b.data(),
                               .b_exponents = b_exponents.data(),
                               .b_stride = static_cast<std::int64_t>(columns)};
  std::vector<float> hopper(columns, 1.0F);
  std::vector<float> exact(columns, 1.0F);
  numerics::add_products_hopper(product, hopper);
  numerics::add_products_float32(product, exact);
  for (std::size_t j = 0; j < columns; ++j) {
    float sum = 1.0F;
    for (std::size_t k = 0; k < 8; ++k) sum += 2.0F * b[k * columns + j];
    CHECK(hopper[j] == sum);
    CHECK(exact[j] == sum);
  }
}

// How much lower than the exact sum 16384 products of positive values come out, spread evenly over
// E4M3's codes up to 4. Fixed seed.
double drift(int flush) {
  std::mt19937 random(5);
  const auto value = [&random] {
    return numerics::decode_fp8(static_cast<std::uint8_t>(random() % 0x48),
                                numerics::Fp8Format::kE4M3);
  };
  double exact = 0.0;
  float total = 0.0F;
  float sum = 0.0F;
  for (int done = 32; done <= 16384; done += 32) {
    std::vector<float> a(32);
    std::vector<float> b(32);
    for (std::size_t i = 0; i < 32; ++i) {
      a[i] = value();
      b[i] = value();
      exact += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    }
    sum = step(sum, a, b);
    if (flush > 0 && done % flush == 0) {
      total += sum;
      sum = 0.0F;
    }
  }
  return static_cast<double>(total + sum) / exact - 1.0;
}

TEST_CASE("an all-positive sum drifts low as much as was measured on an H200", "[numerics]") {
  CHECK_THAT(drift(0), WithinRel(-0.13, 0.1));
  CHECK_THAT(drift(4096), WithinRel(-0.043, 0.1));
  CHECK_THAT(drift(1024), WithinRel(-0.012, 0.1));
  CHECK_THAT(drift(512), WithinRel(-0.0059, 0.1));
  CHECK_THAT(drift(256), WithinRel(-0.0027, 0.1));
  CHECK_THAT(drift(128), WithinRel(-0.0011, 0.1));
}

}  // namespace
}  // namespace fa3prof::tests
