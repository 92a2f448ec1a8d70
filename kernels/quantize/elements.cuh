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

/// A CTA holds the whole block of rows or keys that share a factor in registers, as float32: it is
/// read once, however many looks at it the factor takes.
inline constexpr int kValuesPerThread = 64;
inline constexpr int kMaxThreads = 512;

[[nodiscard]] constexpr int threads_for(int block_rows, int head_dim) {
  return block_rows * head_dim / kValuesPerThread;
}

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

/// Four neighbouring elements, as they are read.
template <ptx::Element kElement>
struct Four {
  uint2 bits = {0U, 0U};

  __device__ __forceinline__ void load(const std::uint16_t* at) {
    bits = __ldg(reinterpret_cast<const uint2*>(at));
  }

  [[nodiscard]] __device__ __forceinline__ float4 values() const {
    const float2 lower = to_floats<kElement>(bits.x);
    const float2 upper = to_floats<kElement>(bits.y);
    return make_float4(lower.x, lower.y, upper.x, upper.y);
  }
};

/// The larger magnitude; NaN and infinities do not count.
__device__ __forceinline__ float larger(float magnitude, float value) {
  const float finite = fabsf(value);
  return finite <= FLT_MAX ? fmaxf(magnitude, finite) : magnitude;
}

/// Largest value over the CTA's threads, which all get it.
__device__ __forceinline__ float largest_of_cta(float value) {
  __shared__ float warps[kMaxThreads / 32];
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

/// `value` in units of a factor, given its inverse. An infinity becomes NaN: saturated it would
/// look like a number.
__device__ __forceinline__ float scaled(float value, float inverse) {
  return fmaf(value, inverse, value - value);
}

}  // namespace fa3prof::kernels::quantize
