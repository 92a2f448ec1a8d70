// How products are summed: in FP32, or as Hopper's tensor cores sum FP8 products. The latter bit by
// bit, after Xie et al., "MMA-Sim: bit-accurate reference model of tensor cores and matrix cores",
// arXiv 2511.10909 (wgmma with FP8 operands on Hopper): the 32 products of an instruction's step
// and the accumulator are aligned to the largest exponent among them, each is cut off (not rounded)
// after 13 fraction bits of that exponent, the sum is exact, and the result is cut off to 13
// fraction bits. DeepSeek-V3 (arXiv 2412.19437, section 3.3.2) and SageAttention2 (arXiv
// 2411.10958) describe the same 14 bits from outside.
#pragma once

#include <cstdint>
#include <span>

namespace fa3prof::numerics {

enum class Accumulator { kFloat32, kHopperFp8 };

/// Products that one step of FP8 wgmma adds at once: its k.
inline constexpr std::int64_t kFp8StepProducts = 32;

/// An exponent that never wins, for zeros.
inline constexpr std::int16_t kZeroExponent = -1000;

/// The exponent of `value` in a format whose smallest normal is 2^min_exponent (E4M3: -6,
/// E5M2: -14).
[[nodiscard]] std::int16_t exponent_of(float value, int min_exponent);

/// A piece of a product: up to 32 elements of a row of A and as many rows of B.
struct Step {
  std::span<const float> a;                   ///< [k]
  std::span<const std::int16_t> a_exponents;  ///< [k]
  const float* b = nullptr;                   ///< [k, columns], rows b_stride apart
  const std::int16_t* b_exponents = nullptr;  ///< likewise
  std::int64_t b_stride = 0;
};

/// sums[j] += sum over k of a[k] * b[k][j]: one after the other in FP32.
void add_products_float32(const Step& step, std::span<float> sums);

/// The same as a Hopper tensor core does in one step. Needs at most 32 finite FP8 values in `a` and
/// finite sums below 2^100.
void add_products_hopper(const Step& step, std::span<float> sums);

/// Either of them.
void add_products(Accumulator accumulator, const Step& step, std::span<float> sums);

}  // namespace fa3prof::numerics
