// The 8-bit formats of the OCP FP8 specification as bit patterns: E4M3 (bias 7, largest 448, no
// infinity) and E5M2 (bias 15, largest 57344). Source: Micikevicius et al., "FP8 formats for deep
// learning", arXiv 2209.05433, table 1.
#pragma once

#include <cstdint>

namespace fa3prof::numerics {

enum class Fp8Format { kE4M3, kE5M2 };

/// The largest finite value: 448 or 57344.
[[nodiscard]] float largest(Fp8Format format);

/// Rounds to nearest, ties to even; what is beyond the largest value, infinities included, becomes
/// the largest value of that sign; NaN becomes 0x7F. As cvt.rn.satfinite of the PTX ISA does.
///
///   encode_fp8(0.1F, Fp8Format::kE4M3) == 0x1D  // 0.1015625 = 1.101b * 2^-4
[[nodiscard]] std::uint8_t encode_fp8(float value, Fp8Format format);

/// Exact. 0x7F and 0xFF of E4M3 and fraction != 0 at the top exponent of E5M2 are NaN; 0x7C of E5M2
/// is infinity, which encode_fp8 never yields.
[[nodiscard]] float decode_fp8(std::uint8_t bits, Fp8Format format);

}  // namespace fa3prof::numerics
