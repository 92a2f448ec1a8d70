// The formats that attention kernels keep Q, K, V and P in, as roundings of float.
#pragma once

#include <span>
#include <string_view>

namespace fa3prof::numerics {

enum class ElementFormat { kFloat16, kBFloat16, kE4M3, kE5M2 };

/// "fp16", "bf16", "e4m3", "e5m2".
[[nodiscard]] std::string_view name_of(ElementFormat format);

/// Whether values need a scale to fit.
[[nodiscard]] bool is_fp8(ElementFormat format);

/// 448 or 57344 for FP8; 1 for the 16-bit formats, which are not scaled.
[[nodiscard]] float scaled_largest(ElementFormat format);

/// The exponent of the smallest normal value: -6 for E4M3.
[[nodiscard]] int min_exponent(ElementFormat format);

/// The nearest value of the format: float_conversion.h and fp8.h say what happens at its ends.
[[nodiscard]] float round_to(float value, ElementFormat format);

}  // namespace fa3prof::numerics
