#include "src/numerics/fp8.h"

#include <array>
#include <bit>
#include <limits>

namespace fa3prof::numerics {
namespace {

constexpr std::uint32_t kFloatInfinity = 0x7F800000U;
constexpr std::uint8_t kNaN = 0x7F;

struct Layout {
  int fraction_bits;
  int bias;
  std::uint32_t largest_code;
};

constexpr Layout layout_of(Fp8Format format) {
  return format == Fp8Format::kE4M3 ? Layout{3, 7, 0x7E} : Layout{2, 15, 0x7B};
}

constexpr float power_of_two(int exponent) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(exponent + 127) << 23U);
}

float decode_by_definition(std::uint8_t bits, Fp8Format format) {
  const Layout layout = layout_of(format);
  const std::uint32_t magnitude = bits & 0x7FU;
  const float sign = (bits & 0x80U) != 0 ? -1.0F : 1.0F;
  if (magnitude > layout.largest_code) {
    const bool is_infinity = format == Fp8Format::kE5M2 && magnitude == layout.largest_code + 1;
    return is_infinity ? sign * std::numeric_limits<float>::infinity()
                       : std::numeric_limits<float>::quiet_NaN();
  }
  const int exponent = static_cast<int>(magnitude >> static_cast<unsigned>(layout.fraction_bits));
  const std::uint32_t one = 1U << static_cast<unsigned>(layout.fraction_bits);
  const std::uint32_t fraction = (magnitude & (one - 1U)) + (exponent > 0 ? one : 0U);
  const int shift = (exponent > 0 ? exponent : 1) - layout.bias - layout.fraction_bits;
  return sign * static_cast<float>(fraction) * power_of_two(shift);
}

std::array<float, 256> decode_all(Fp8Format format) {
  std::array<float, 256> values{};
  for (std::size_t code = 0; code < values.size(); ++code) {
    values[code] = decode_by_definition(static_cast<std::uint8_t>(code), format);
  }
  return values;
}

template <Fp8Format format>
std::uint8_t encode_to(float value) {
  constexpr Layout kLayout = layout_of(format);
  constexpr auto kDropped = static_cast<unsigned>(23 - kLayout.fraction_bits);
  constexpr std::uint32_t kRebias = static_cast<std::uint32_t>(127 - kLayout.bias) << 23U;
  constexpr float kSmallestNormal = power_of_two(1 - kLayout.bias);
  // Floats just above this are as far apart as the subnormals of the format: adding it rounds.
  constexpr float kRounder = power_of_two(1 - kLayout.bias - kLayout.fraction_bits + 23);

  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 24U) & 0x80U;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > kFloatInfinity) return kNaN;
  if (std::bit_cast<float>(magnitude) < kSmallestNormal) {
    const float rounded = std::bit_cast<float>(magnitude) + kRounder;
    return static_cast<std::uint8_t>(
        sign | (std::bit_cast<std::uint32_t>(rounded) - std::bit_cast<std::uint32_t>(kRounder)));
  }
  const std::uint32_t half = (1U << (kDropped - 1U)) - 1U + ((magnitude >> kDropped) & 1U);
  const std::uint32_t code = (magnitude + half - kRebias) >> kDropped;
  return static_cast<std::uint8_t>(sign |
                                   (code < kLayout.largest_code ? code : kLayout.largest_code));
}

}  // namespace

float largest(Fp8Format format) { return format == Fp8Format::kE4M3 ? 448.0F : 57344.0F; }

std::uint8_t encode_fp8(float value, Fp8Format format) {
  return format == Fp8Format::kE4M3 ? encode_to<Fp8Format::kE4M3>(value)
                                    : encode_to<Fp8Format::kE5M2>(value);
}

float decode_fp8(std::uint8_t bits, Fp8Format format) {
  static const std::array<float, 256> e4m3 = decode_all(Fp8Format::kE4M3);
  static const std::array<float, 256> e5m2 = decode_all(Fp8Format::kE5M2);
  return format == Fp8Format::kE4M3 ? e4m3[bits] : e5m2[bits];
}

}  // namespace fa3prof::numerics
