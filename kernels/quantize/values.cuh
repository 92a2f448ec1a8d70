// Quantises V: takes away the mean of each channel, finds the factors, transposes.
#pragma once

#include "kernels/ptx/convert_e4m3.cuh"
#include "kernels/quantize/elements.cuh"
#include "kernels/quantize/layout.h"
#include "kernels/quantize/rows.cuh"

#include <cstdint>

namespace fa3prof::kernels::quantize {

struct ValuesTask {
  Source source;
  std::uint8_t* image;  ///< [batch, heads, padded keys, head_dim], transposed
  float* kv_scales;     ///< [batch, heads, blocks, 2]: writes the second, log2 of the factor
  float* head_factors;  ///< [batch, heads]: read where all blocks of a head share one, else null
  float* sums;          ///< [batch, heads, blocks, head_dim]
  float* mean;          ///< [batch, heads, head_dim]
  int block_keys;
  int slab_keys;
  int blocks;
  bool removes_mean;
};

/// Sums of each channel over a block of keys. A fixed order, so that runs repeat to the bit.
template <int kHeadDim, ptx::Element kElement>
__global__ void __launch_bounds__(kHeadDim) sum_channels(const ValuesTask task) {
  const unsigned pair = blockIdx.z * gridDim.y + blockIdx.y;
  const int first = static_cast<int>(blockIdx.x) * task.block_keys;
  const int end = min(first + task.block_keys, task.source.rows);
  const std::uint16_t* channel =
      task.source.head(static_cast<int>(blockIdx.z), static_cast<int>(blockIdx.y)) + threadIdx.x;
  float sum = 0.0F;
  FA3PROF_UNROLL
  for (int key = first; key < end; ++key) {
    sum += to_float<kElement>(__ldg(channel + key * task.source.row_stride));
  }
  task.sums[(std::int64_t{pair} * task.blocks + blockIdx.x) * kHeadDim + threadIdx.x] = sum;
}

/// Mean of each channel, from the sums of the blocks. A mean that is not finite is taken as 0, and
/// V keeps what made it so.
template <int kHeadDim>
__global__ void __launch_bounds__(kHeadDim) finish_mean(const ValuesTask task) {
  const unsigned pair = blockIdx.x;
  float sum = 0.0F;
  if (task.removes_mean) {
    const float* sums = task.sums + std::int64_t{pair} * task.blocks * kHeadDim + threadIdx.x;
    for (int block = 0; block < task.blocks; ++block) sum += sums[block * kHeadDim];
  }
  const float mean = sum / static_cast<float>(task.source.rows);
  task.mean[pair * kHeadDim + threadIdx.x] = fabsf(mean) <= FLT_MAX ? mean : 0.0F;
}

/// Largest magnitude in this CTA's block of V without its mean.
template <int kHeadDim, ptx::Element kElement>
__device__ __forceinline__ float magnitude_of_values(const ValuesTask& task) {
  constexpr int kLanes = kHeadDim / 2;  // two channels each
  const unsigned pair = blockIdx.z * gridDim.y + blockIdx.y;
  const int first = static_cast<int>(blockIdx.x) * task.block_keys;
  const int end = min(first + task.block_keys, task.source.rows);
  const int channel = static_cast<int>(threadIdx.x) % kLanes * 2;
  const float2 mean = *reinterpret_cast<const float2*>(task.mean + pair * kHeadDim + channel);
  const std::uint16_t* head =
      task.source.head(static_cast<int>(blockIdx.z), static_cast<int>(blockIdx.y)) + channel;
  float largest = 0.0F;
  for (int key = first + static_cast<int>(threadIdx.x) / kLanes; key < end;
       key += kThreads / kLanes) {
    const float2 values = to_floats<kElement>(
        __ldg(reinterpret_cast<const unsigned*>(head + key * task.source.row_stride)));
    largest = larger(larger(largest, values.x - mean.x), values.y - mean.y);
  }
  return largest_of_cta<kThreads>(largest);
}

/// Raises a head's factor to that of this CTA's block. Heads of zeros only are left at 0.
template <int kHeadDim, ptx::Element kElement>
__global__ void __launch_bounds__(kThreads) measure_values(const ValuesTask task) {
  const float largest = magnitude_of_values<kHeadDim, kElement>(task);
  if (threadIdx.x == 0 && largest > 0.0F) {
    raise(task.head_factors + blockIdx.z * gridDim.y + blockIdx.y, factor_of(largest));
  }
}

/// Quantises and transposes a block of keys, 32 at a time by way of shared memory.
template <int kHeadDim, ptx::Element kElement>
__global__ void __launch_bounds__(kThreads) quantize_values(const ValuesTask task) {
  constexpr int kKeys = 32;
  constexpr int kPitch = kHeadDim + 2;  // columns of it lie in different banks
  __shared__ float staged[kKeys][kPitch];
  const unsigned pair = blockIdx.z * gridDim.y + blockIdx.y;
  const std::uint16_t* head =
      task.source.head(static_cast<int>(blockIdx.z), static_cast<int>(blockIdx.y));
  const float* mean = task.mean + pair * kHeadDim;
  float factor = 1.0F;
  if (task.head_factors == nullptr) {
    factor = factor_of(magnitude_of_values<kHeadDim, kElement>(task));
  } else if (task.head_factors[pair] > 0.0F) {
    factor = task.head_factors[pair];
  }
  const float inverse = 1.0F / factor;
  std::uint8_t* image = task.image + pair * std::int64_t{task.source.padded_rows} * kHeadDim;
  const int first = static_cast<int>(blockIdx.x) * task.block_keys;
  for (int key = first; key < first + task.block_keys; key += kKeys) {
    for (int i = static_cast<int>(threadIdx.x); i < kKeys * kHeadDim / 2; i += kThreads) {
      const int row = i / (kHeadDim / 2);
      const int channel = i % (kHeadDim / 2) * 2;
      float2 values{0.0F, 0.0F};
      if (key + row < task.source.rows) {
        values = to_floats<kElement>(__ldg(reinterpret_cast<const unsigned*>(
            head + (key + row) * task.source.row_stride + channel)));
        values.x = scaled(values.x - mean[channel], inverse);
        values.y = scaled(values.y - mean[channel + 1], inverse);
      }
      *reinterpret_cast<float2*>(&staged[row][channel]) = values;
    }
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < kHeadDim * kKeys / 16; i += kThreads) {
      const int channel = i / 2;
      const int half = i % 2 * 16;
      std::uint32_t piece[4];
      FA3PROF_UNROLL
      for (int q = 0; q < 4; ++q) {  // place_of_key, the other way round
        const int row = half + 2 * q;
        piece[q] = ptx::pack_e4m3(staged[row][channel], staged[row + 1][channel],
                                  staged[row + 8][channel], staged[row + 9][channel]);
      }
      *reinterpret_cast<uint4*>(image +
                                transposed_offset(key + half, channel, kHeadDim, task.slab_keys)) =
          make_uint4(piece[0], piece[1], piece[2], piece[3]);
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    task.kv_scales[2 * (std::int64_t{pair} * task.blocks + blockIdx.x) + 1] = log2f(factor);
  }
}

}  // namespace fa3prof::kernels::quantize
