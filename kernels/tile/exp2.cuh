// 2^x without the MUFU unit.
#pragma once

#include "kernels/ptx/math.cuh"

namespace fa3prof::kernels::tile {

/// 2^x for x <= 127 on the FMA pipe, with a relative error up to 7.5e-5: enough for a result that
/// is rounded to three fraction bits. Below 2^-100 it stays at 2^-100; NaN stays NaN.
///
/// x is split into the nearest integer, found by adding 1.5 * 2^23, whose last place is 1, and a
/// rest in
/// +-1/2, where the cubic of least relative error stands for 2^rest; the integer goes into the
/// exponent's bits.
__device__ __forceinline__ float exp2_by_cubic(float x) {
  constexpr float kLeast = -100.0F;
  constexpr float kRounds = 12582912.0F;
  constexpr float kC0 = 0.999928074F;
  constexpr float kC1 = 0.693260985F;
  constexpr float kC2 = 0.242611122F;
  constexpr float kC3 = 0.055171669F;
  const float bounded = ptx::max_or_nan(x, kLeast);
  const float shifted = bounded + kRounds;
  const float rest = bounded - (shifted - kRounds);
  const float root = fmaf(fmaf(fmaf(kC3, rest, kC2), rest, kC1), rest, kC0);
  return __int_as_float((__float_as_int(shifted) << 23) + __float_as_int(root));
}

}  // namespace fa3prof::kernels::tile
