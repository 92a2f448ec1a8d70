// What the quantising kernels share: 16-bit elements as floats, largest magnitudes, conversion.
#pragma once

#include "kernels/ptx/element.h"
#include "kernels/ptx/unroll.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cfloat>
#include <cstdint>

namespace fa3prof::kernels::quantize {

inline constexpr float kLargest = 448.0F;  ///< of e4m3

/// The grid is [batch, blocks, heads], heads fastest: CTAs that run side by side read side by side.
[[nodiscard]] __device__ __forceinline__ int head_of_cta() { return static_cast<int>(blockIdx.x); }

[[nodiscard]] __device__ __forceinline__ int block_of_cta() { return static_cast<int>(blockIdx.y); }

[[nodiscard]] __device__ __forceinline__ int batch_of_cta() { return static_cast<int>(blockIdx.z); }

/// batch * heads + head.
[[nodiscard]] __device__ __forceinline__ std::int64_t pair_of_cta() {
  return std::int64_t{blockIdx.z} * gridDim.x + blockIdx.x;
}

/// A [batch, seqlen, heads, head_dim] operand, 16-bit elements.
struct Source {
  const std::uint16_t* base;
  std::int64_t batch_stride;
  std::int64_t row_stride;
  std::int64_t head_stride;
  int rows;         ///< seqlen
  int padded_rows;  ///< in the quantised form

  [[nodiscard]] const __device__ std::uint16_t* head(int batch, int head_index) const {
    return base + batch * batch_stride + head_index * head_stride;
  }
};

template <ptx::Element kElement>
__device__ __forceinline__ float2 to_floats(std::uint32_t pair) {
  if constexpr (kElement == ptx::Element::kF16) {
    return __half22float2(*reinterpret_cast<const __half2*>(&pair));
  } else {
    return __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&pair));
  }
}

/// The larger of four magnitudes and one; passes over NaN, not over infinities.
__device__ __forceinline__ float larger(float magnitude, const float4& values) {
  const float left = fmaxf(fabsf(values.x), fabsf(values.y));
  return fmaxf(magnitude, fmaxf(left, fmaxf(fabsf(values.z), fabsf(values.w))));
}

/// Makes infinities NaN.
__device__ __forceinline__ float4 without_infinity(const float4& values) {
  return {values.x + (values.x - values.x), values.y + (values.y - values.y),
          values.z + (values.z - values.z), values.w + (values.w - values.w)};
}

/// Largest value over the CTA's threads, which all get it.
__device__ __forceinline__ float largest_of_cta(float value) {
  __shared__ float warps[1024 / 32];
  FA3PROF_UNROLL
  for (unsigned step = 16; step > 0; step /= 2) {
    value = fmaxf(value, __shfl_xor_sync(0xffffffffU, value, step));
  }
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  for (unsigned i = 0; i < blockDim.x / 32; ++i) value = fmaxf(value, warps[i]);
  return value;
}

/// Raises `cell` to `value` >= 0: such floats order as their bits do.
__device__ __forceinline__ void raise(float* cell, float value) {
  atomicMax(reinterpret_cast<int*>(cell), __float_as_int(value));
}

/// Factor that turns e4m3 with this largest magnitude back; not so small that its inverse, or a sum
/// of inverses, overflows.
__device__ __forceinline__ float factor_of(float magnitude) {
  constexpr float kSmallest = 0x1p-100F;
  return magnitude > 0.0F ? fmaxf(magnitude / kLargest, kSmallest) : 1.0F;
}

/// In units of a factor, given its inverse. Infinities become NaN: saturated they would look like
/// numbers.
__device__ __forceinline__ float4 scaled(const float4& values, float inverse) {
  return {
      fmaf(values.x, inverse, values.x - values.x), fmaf(values.y, inverse, values.y - values.y),
      fmaf(values.z, inverse, values.z - values.z), fmaf(values.w, inverse, values.w - values.w)};
}

}  // namespace fa3prof::kernels::quantize
