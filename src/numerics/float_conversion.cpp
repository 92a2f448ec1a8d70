#include "src/numerics/float_conversion.h"

#include "src/core/error.h"

#include <bit>
#include <string>

namespace fa3prof::numerics {
namespace {

constexpr std::uint32_t kFloatInfinity = 0x7F800000U;
constexpr std::uint32_t kFloat16Infinity = 0x7C00U;
constexpr std::uint32_t kFloat16Quiet = 0x0200U;
constexpr std::uint32_t kRebias = (127U - 15U) << 23U;          // float16 to float exponent
constexpr std::uint32_t kSmallestNormal = (127U - 14U) << 23U;  // 2^-14 as a float

void require_16_bit(core::DataType dtype) {
  if (dtype == core::DataType::kFloat16 || dtype == core::DataType::kBFloat16) return;
  throw core::UsageError("no 16-bit conversion for dtype " + std::string(name_of(dtype)) +
                         "; use fp16 or bf16");
}

void require_equal(std::size_t values, std::size_t bits) {
  if (values == bits) return;
  throw core::UsageError("cannot convert between " + std::to_string(values) + " values and " +
                         std::to_string(bits) + " bit patterns; give both the same length");
}

template <typename Value>
void decode_to(std::span<const std::uint16_t> bits, core::DataType dtype, std::span<Value> values) {
  require_16_bit(dtype);
  require_equal(values.size(), bits.size());
  if (dtype == core::DataType::kFloat16) {
    for (std::size_t i = 0; i < bits.size(); ++i) values[i] = decode_float16(bits[i]);
  } else {
    for (std::size_t i = 0; i < bits.size(); ++i) values[i] = decode_bfloat16(bits[i]);
  }
}

}  // namespace

std::uint16_t encode_float16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16U) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;

  const std::uint32_t rounded = magnitude + 0x0FFFU + ((magnitude >> 13U) & 1U);
  const std::uint32_t normal = (rounded - kRebias) >> 13U;
  // The float spacing just above 0.5 is 2^-24, that of float16 subnormals: the addition rounds.
  const std::uint32_t subnormal =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) -
      std::bit_cast<std::uint32_t>(0.5F);
  const std::uint32_t nan = kFloat16Infinity | kFloat16Quiet | ((magnitude >> 13U) & 0x03FFU);

  std::uint32_t result = normal < kFloat16Infinity ? normal : kFloat16Infinity;
  result = magnitude < kSmallestNormal ? subnormal : result;
  result = magnitude > kFloatInfinity ? nan : result;
  return static_cast<std::uint16_t>(sign | result);
}

float decode_float16(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16U;
  const std::uint32_t magnitude = (bits & 0x7FFFU) << 13U;

  const std::uint32_t normal = magnitude + kRebias;
  // 2^-14 with the float16 fraction, less 2^-14: the subtraction normalises, exactly.
  const auto subnormal = std::bit_cast<std::uint32_t>(
      std::bit_cast<float>(magnitude + kSmallestNormal) - std::bit_cast<float>(kSmallestNormal));

  std::uint32_t result = magnitude < (1U << 23U) ? subnormal : normal;
  result = magnitude >= (kFloat16Infinity << 13U) ? normal + kRebias : result;
  return std::bit_cast<float>(sign | result);
}

std::uint16_t encode_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U;
  const std::uint32_t nan = (bits >> 16U) | 0x0040U;
  return static_cast<std::uint16_t>((bits & 0x7FFFFFFFU) > kFloatInfinity ? nan : rounded);
}

float decode_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

void encode(std::span<const float> values, core::DataType dtype, std::span<std::uint16_t> bits) {
  require_16_bit(dtype);
  require_equal(values.size(), bits.size());
  if (dtype == core::DataType::kFloat16) {
    for (std::size_t i = 0; i < values.size(); ++i) bits[i] = encode_float16(values[i]);
  } else {
    for (std::size_t i = 0; i < values.size(); ++i) bits[i] = encode_bfloat16(values[i]);
  }
}

void decode(std::span<const std::uint16_t> bits, core::DataType dtype, std::span<float> values) {
  decode_to(bits, dtype, values);
}

void decode(std::span<const std::uint16_t> bits, core::DataType dtype, std::span<double> values) {
  decode_to(bits, dtype, values);
}

}  // namespace fa3prof::numerics
