// The 16-bit formats as bit patterns: IEEE 754 binary16 ("fp16") and bfloat16. Portable integer
// code, so the CPU reference does not depend on compiler or hardware support for either type.
#pragma once

#include "src/core/attention_problem.h"

#include <cstdint>
#include <span>

namespace fa3prof::numerics {

/// Rounds to nearest, ties to even; 65520 and more to infinity; NaN stays NaN (made quiet).
[[nodiscard]] std::uint16_t encode_float16(float value);

/// Exact, subnormals, infinities and NaN payloads included.
[[nodiscard]] float decode_float16(std::uint16_t bits);

/// Rounds to nearest, ties to even; overflow to infinity; NaN stays NaN (made quiet).
[[nodiscard]] std::uint16_t encode_bfloat16(float value);

/// Exact, subnormals, infinities and NaN payloads included.
[[nodiscard]] float decode_bfloat16(std::uint16_t bits);

/// Encodes values[i] to bits[i] in `dtype`. Throws UsageError unless dtype is fp16 or bf16 and both
/// spans have the same length.
void encode(std::span<const float> values, core::DataType dtype, std::span<std::uint16_t> bits);

/// Decodes bits[i] to values[i]. Throws like encode.
void decode(std::span<const std::uint16_t> bits, core::DataType dtype, std::span<float> values);
void decode(std::span<const std::uint16_t> bits, core::DataType dtype, std::span<double> values);

}  // namespace fa3prof::numerics
