#include "src/numerics/float_conversion.h"

#include "src/core/error.h"
#include "tests/catch.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace fa3prof::tests {
namespace {

using core::DataType;
using numerics::decode_bfloat16;
using numerics::decode_float16;
using numerics::encode_bfloat16;
using numerics::encode_float16;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr std::uint32_t kPatterns = 65536;

// The value of a bit pattern straight from the definition of the format.
double value_by_definition(std::uint32_t bits, int exponent_bits, int fraction_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(bits >> fraction_bits) & ((1 << exponent_bits) - 1);
  const int fraction = static_cast<int>(bits) & ((1 << fraction_bits) - 1);
  const double sign = (bits & 0x8000U) != 0 ? -1.0 : 1.0;
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
  return sign * std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
}

// Wrong bit patterns among all 65536, so that one CHECK covers them all.
template <typename IsWrong>
int count_wrong(const IsWrong& is_wrong) {
  int wrong = 0;
  for (std::uint32_t bits = 0; bits < kPatterns; ++bits) {
    if (is_wrong(static_cast<std::uint16_t>(bits))) ++wrong;
  }
  return wrong;
}

TEST_CASE("every finite pattern decodes to the value that the format defines", "[numerics]") {
  CHECK(count_wrong([](std::uint16_t bits) {
          return (bits & 0x7C00U) != 0x7C00U &&
                 decode_float16(bits) != value_by_definition(bits, 5, 10);
        }) == 0);
  CHECK(count_wrong([](std::uint16_t bits) {
          return (bits & 0x7F80U) != 0x7F80U &&
                 decode_bfloat16(bits) != value_by_definition(bits, 8, 7);
        }) == 0);
}

TEST_CASE("every pattern survives decoding and encoding; signalling NaNs become quiet",
          "[numerics]") {
  CHECK(count_wrong([](std::uint16_t bits) {
          const bool is_nan = (bits & 0x7FFFU) > 0x7C00U;
          return encode_float16(decode_float16(bits)) != (is_nan ? bits | 0x0200U : bits);
        }) == 0);
  CHECK(count_wrong([](std::uint16_t bits) {
          const bool is_nan = (bits & 0x7FFFU) > 0x7F80U;
          return encode_bfloat16(decode_bfloat16(bits)) != (is_nan ? bits | 0x0040U : bits);
        }) == 0);
}

TEST_CASE("values between neighbours go to the nearer one and ties to the even one", "[numerics]") {
  const auto is_rounded_wrong = [](auto encode, auto decode, std::uint16_t bits) {
    const auto next = static_cast<std::uint16_t>(bits + 1);
    const float below = decode(bits);
    const float above = decode(next);
    if (!std::isfinite(below) || !std::isfinite(above)) return false;
    const float middle = below + (above - below) / 2.0F;
    const std::uint16_t even = bits % 2 == 0 ? bits : next;
    return encode(middle) != even || encode(std::nextafter(middle, below)) != bits ||
           encode(std::nextafter(middle, above)) != next;
  };
  CHECK(count_wrong([&](std::uint16_t bits) {
          return is_rounded_wrong(encode_float16, decode_float16, bits);
        }) == 0);
  CHECK(count_wrong([&](std::uint16_t bits) {
          return is_rounded_wrong(encode_bfloat16, decode_bfloat16, bits);
        }) == 0);
}

TEST_CASE("FP16 overflows to infinity from 65520 on and underflows to signed zero", "[numerics]") {
  CHECK(encode_float16(65504.0F) == 0x7BFF);
  CHECK(encode_float16(65519.996F) == 0x7BFF);
  CHECK(encode_float16(65520.0F) == 0x7C00);
  CHECK(encode_float16(-1e30F) == 0xFC00);
  CHECK(encode_float16(-kInfinity) == 0xFC00);
  CHECK(encode_float16(0x1p-24F) == 0x0001);
  CHECK(encode_float16(0x1p-25F) == 0x0000);
  CHECK(encode_float16(std::nextafter(0x1p-25F, 1.0F)) == 0x0001);
  CHECK(encode_float16(-0x1p-149F) == 0x8000);
  CHECK(decode_float16(0x7C00) == kInfinity);
  CHECK(std::signbit(decode_float16(0x8000)));
}

TEST_CASE("BF16 overflows to infinity and keeps the float's subnormals", "[numerics]") {
  CHECK(encode_bfloat16(std::numeric_limits<float>::max()) == 0x7F80);
  CHECK(encode_bfloat16(-kInfinity) == 0xFF80);
  CHECK(encode_bfloat16(0x1p-133F) == 0x0001);
  CHECK(encode_bfloat16(0x1p-134F) == 0x0000);
  CHECK(encode_bfloat16(1.0F) == 0x3F80);
}

TEST_CASE("a NaN stays a NaN, whatever its payload", "[numerics]") {
  CHECK(std::isnan(decode_float16(encode_float16(kNaN))));
  CHECK(std::isnan(decode_bfloat16(encode_bfloat16(kNaN))));
  CHECK(std::isnan(decode_float16(encode_float16(std::nanf("1")))));
  CHECK(std::isnan(decode_bfloat16(encode_bfloat16(std::nanf("1")))));
  CHECK(count_wrong([](std::uint16_t bits) {
          return std::isnan(decode_float16(bits)) != ((bits & 0x7FFFU) > 0x7C00U);
        }) == 0);
}

TEST_CASE("whole spans convert like single values", "[numerics]") {
  std::vector<std::uint16_t> bits(kPatterns);
  std::iota(bits.begin(), bits.end(), std::uint16_t{0});
  const DataType dtype = GENERATE(DataType::kFloat16, DataType::kBFloat16);
  const bool is_fp16 = dtype == DataType::kFloat16;
  std::vector<float> floats(kPatterns);
  std::vector<double> doubles(kPatterns);
  std::vector<std::uint16_t> encoded(kPatterns);
  numerics::decode(bits, dtype, std::span<float>(floats));
  numerics::decode(bits, dtype, std::span<double>(doubles));
  numerics::encode(floats, dtype, encoded);
  int wrong = 0;
  for (std::size_t i = 0; i < kPatterns; ++i) {
    const float value = is_fp16 ? decode_float16(bits[i]) : decode_bfloat16(bits[i]);
    const std::uint16_t again = is_fp16 ? encode_float16(value) : encode_bfloat16(value);
    const bool is_nan = std::isnan(value);
    if (encoded[i] != again || std::isnan(floats[i]) != is_nan ||
        std::isnan(doubles[i]) != is_nan) {
      ++wrong;
    } else if (!is_nan && (floats[i] != value || doubles[i] != value)) {
      ++wrong;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("conversion refuses FP8 and spans of different lengths", "[numerics]") {
  std::vector<float> values(3);
  std::vector<std::uint16_t> bits(3);
  CHECK_THROWS_AS(numerics::encode(values, DataType::kFloat8E4M3, bits), core::UsageError);
  CHECK_THROWS_WITH(numerics::decode(bits, DataType::kFloat8E4M3, std::span<float>(values)),
                    contains("fp8_e4m3"));
  bits.resize(2);
  CHECK_THROWS_WITH(numerics::encode(values, DataType::kFloat16, bits), contains("3 values and 2"));
}

}  // namespace
}  // namespace fa3prof::tests
