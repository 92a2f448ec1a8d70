#include "src/numerics/fp8.h"

#include "tests/catch.h"

#include <cmath>
#include <limits>

namespace fa3prof::tests {
namespace {

using numerics::decode_fp8;
using numerics::encode_fp8;
using numerics::Fp8Format;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

struct Format {
  Fp8Format format;
  unsigned largest_code;
};

Format any_format() {
  return GENERATE(Format{Fp8Format::kE4M3, 0x7E}, Format{Fp8Format::kE5M2, 0x7B});
}

std::uint8_t byte(unsigned code) { return static_cast<std::uint8_t>(code); }

TEST_CASE("FP8 codes have the values of the published table", "[numerics]") {
  // Micikevicius et al., table 1.
  CHECK(decode_fp8(0x7E, Fp8Format::kE4M3) == 448.0F);
  CHECK(decode_fp8(0x08, Fp8Format::kE4M3) == 0x1p-6F);
  CHECK(decode_fp8(0x07, Fp8Format::kE4M3) == 0.875F * 0x1p-6F);
  CHECK(decode_fp8(0x01, Fp8Format::kE4M3) == 0x1p-9F);
  CHECK(std::isnan(decode_fp8(0x7F, Fp8Format::kE4M3)));
  CHECK(std::isnan(decode_fp8(0xFF, Fp8Format::kE4M3)));
  CHECK(decode_fp8(0x7B, Fp8Format::kE5M2) == 57344.0F);
  CHECK(decode_fp8(0x04, Fp8Format::kE5M2) == 0x1p-14F);
  CHECK(decode_fp8(0x03, Fp8Format::kE5M2) == 0.75F * 0x1p-14F);
  CHECK(decode_fp8(0x01, Fp8Format::kE5M2) == 0x1p-16F);
  CHECK(decode_fp8(0x7C, Fp8Format::kE5M2) == kInfinity);
  CHECK(decode_fp8(0xFC, Fp8Format::kE5M2) == -kInfinity);
  for (const unsigned code : {0x7DU, 0x7EU, 0x7FU, 0xFDU, 0xFEU, 0xFFU}) {
    CHECK(std::isnan(decode_fp8(byte(code), Fp8Format::kE5M2)));
  }
}

TEST_CASE("every finite FP8 code survives decoding and encoding, the sign of zero too",
          "[numerics]") {
  const auto [format, largest_code] = any_format();
  for (unsigned code = 0; code < 256; ++code) {
    if ((code & 0x7FU) > largest_code) continue;
    CHECK(encode_fp8(decode_fp8(byte(code), format), format) == code);
  }
}

TEST_CASE("FP8 rounds to the nearer code, and a tie to the even one", "[numerics]") {
  const auto [format, largest_code] = any_format();
  for (unsigned code = 0; code < largest_code; ++code) {
    const float low = decode_fp8(byte(code), format);
    const float high = decode_fp8(byte(code + 1), format);
    REQUIRE(low < high);
    const float middle = 0.5F * (low + high);  // exact: one bit more than the format has
    const unsigned even = code % 2 == 0 ? code : code + 1;
    CHECK(encode_fp8(middle, format) == even);
    CHECK(encode_fp8(-middle, format) == (even | 0x80U));
    CHECK(encode_fp8(std::nextafter(middle, low), format) == code);
    CHECK(encode_fp8(std::nextafter(middle, high), format) == code + 1);
  }
}

TEST_CASE("FP8 saturates, and NaN stays NaN", "[numerics]") {
  const auto [format, largest_code] = any_format();
  const float largest = numerics::largest(format);
  for (const float beyond :
       {std::nextafter(largest, kInfinity), 2.0F * largest, 1e38F, kInfinity}) {
    CHECK(encode_fp8(beyond, format) == largest_code);
    CHECK(encode_fp8(-beyond, format) == (largest_code | 0x80U));
  }
  CHECK(encode_fp8(kNaN, format) == 0x7F);
  CHECK(encode_fp8(-kNaN, format) == 0x7F);
}

TEST_CASE("what is below half of the smallest FP8 value becomes zero", "[numerics]") {
  const auto [format, largest_code] = any_format();
  const float smallest = decode_fp8(1, format);
  CHECK(encode_fp8(0.5F * smallest, format) == 0);  // the tie goes to the even code
  CHECK(encode_fp8(std::nextafter(0.5F * smallest, 1.0F), format) == 1);
  CHECK(encode_fp8(std::numeric_limits<float>::denorm_min(), format) == 0);
  CHECK(encode_fp8(-std::numeric_limits<float>::denorm_min(), format) == 0x80);
}

}  // namespace
}  // namespace fa3prof::tests
