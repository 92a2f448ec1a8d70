// Quantises V: takes away the mean of each channel, finds the factors, transposes.
#pragma once

#include "kernels/ptx/convert_e4m3.cuh"
#include "kernels/quantize/elements.cuh"
#include "kernels/quantize/layout.h"

#include <cstdint>

namespace fa3prof::kernels::quantize {

inline constexpr int kSumThreads = 128;

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

/// Keys of a block read ahead of their sums.
inline constexpr int kKeysAhead = 16;

/// Sums of each channel over a block of keys, four channels a thread. In
/// the order of keys, so that runs repeat to the bit.
template <int kHeadDim, ptx::Element kElement>
__global__ void __launch_bounds__(kSumThreads) sum_channels(const ValuesTask task) {
  constexpr int kLanes = kHeadDim / 4;
  const int block =
      block_of_cta() * (kSumThreads / kLanes) + static_cast<int>(threadIdx.x) / kLanes;
  if (block >= task.blocks) return;
  const std::int64_t pair = pair_of_cta();
  const int channel = static_cast<int>(threadIdx.x) % kLanes * 4;
  const int first = block * task.block_keys;
  const int end = min(first + task.block_keys, task.source.rows);
  const std::uint16_t* head = task.source.head(batch_of_cta(), head_of_cta()) + channel;
  float4 sums{};
  for (int key = first; key < end; key += kKeysAhead) {
    Four<kElement> ahead[kKeysAhead];
    FA3PROF_UNROLL
    for (int i = 0; i < kKeysAhead; ++i) {
      if (key + i < end) ahead[i].load(head + (key + i) * task.source.row_stride);
    }
    FA3PROF_UNROLL
    for (const Four<kElement>& of_key : ahead) {
      const float4 values = of_key.values();
      sums.x += values.x;
      sums.y += values.y;
      sums.z += values.z;
      sums.w += values.w;
    }
  }
  *reinterpret_cast<float4*>(task.sums + (pair * task.blocks + block) * kHeadDim + channel) = sums;
}

/// Mean of each channel, from the sums of the blocks. A mean that is not finite is taken as 0, and
/// V keeps what made it so.
template <int kHeadDim>
__global__ void __launch_bounds__(kHeadDim) finish_mean(const ValuesTask task) {
  const std::int64_t pair = blockIdx.x;
  float sum = 0.0F;
  if (task.removes_mean) {
    const float* sums = task.sums + pair * task.blocks * kHeadDim + threadIdx.x;
    _Pragma("unroll 16") for (int block = 0; block < task.blocks; ++block) {
      sum += sums[block * kHeadDim];
    }
  }
  const float mean = sum / static_cast<float>(task.source.rows);
  task.mean[pair * kHeadDim + threadIdx.x] = fabsf(mean) <= FLT_MAX ? mean : 0.0F;
}

/// Sixteen neighbouring keys of four neighbouring channels of V, without the mean; keys beyond the
/// end are zero. A warp holds 32 keys of 64 channels, so that it both reads and writes whole
/// sectors; the CTA's threads hold a block of keys.
template <int kHeadDim, ptx::Element kElement>
struct ValuePart {
  static constexpr int kKeys = 16;
  static constexpr int kChannels = kValuesPerThread / kKeys;
  static constexpr int kLanes = 16;  ///< side by side in a row
  static constexpr int kWarps = kHeadDim / (kLanes * kChannels);
  float values[kKeys][kChannels];

  __device__ __forceinline__ explicit ValuePart(const ValuesTask& task) : values{} {
    const std::int64_t pair = pair_of_cta();
    const float4 mean = *reinterpret_cast<const float4*>(task.mean + pair * kHeadDim + channel());
    const std::uint16_t* head = task.source.head(batch_of_cta(), head_of_cta()) + channel();
    const int first = key(task);
    FA3PROF_UNROLL
    for (int i = 0; i < kKeys; ++i) {
      if (first + i >= task.source.rows) continue;
      Four<kElement> four;
      four.load(head + (first + i) * task.source.row_stride);
      const float4 of_key = four.values();
      values[i][0] = of_key.x - mean.x;
      values[i][1] = of_key.y - mean.y;
      values[i][2] = of_key.z - mean.z;
      values[i][3] = of_key.w - mean.w;
    }
  }

  [[nodiscard]] static __device__ __forceinline__ int channel() {
    const auto thread = static_cast<int>(threadIdx.x);
    return (thread / 32 % kWarps * kLanes + thread % kLanes) * kChannels;
  }

  /// The first of them.
  [[nodiscard]] static __device__ __forceinline__ int key(const ValuesTask& task) {
    const auto thread = static_cast<int>(threadIdx.x);
    return block_of_cta() * task.block_keys +
           (thread / 32 / kWarps * 2 + thread % 32 / kLanes) * kKeys;
  }

  /// Of the whole CTA's block.
  [[nodiscard]] __device__ __forceinline__ float magnitude() const {
    float largest = 0.0F;
    FA3PROF_UNROLL
    for (const auto& of_key : values) {
      FA3PROF_UNROLL
      for (const float value : of_key) largest = larger(largest, value);
    }
    return largest_of_cta(largest);
  }

  /// Transposed: the keys of a channel lie side by side, in the order of place_of_key.
  __device__ __forceinline__ void store(std::uint8_t* head, const ValuesTask& task,
                                        float inverse) const {
    FA3PROF_UNROLL
    for (int c = 0; c < kChannels; ++c) {
      std::uint32_t words[4];
      FA3PROF_UNROLL
      for (int q = 0; q < 4; ++q) {
        const auto of_key = [&](int k) { return scaled(values[2 * q + k][c], inverse); };
        words[q] = ptx::pack_e4m3(of_key(0), of_key(1), of_key(8), of_key(9));
      }
      *reinterpret_cast<uint4*>(
          head + transposed_offset(key(task), channel() + c, kHeadDim, task.slab_keys)) =
          make_uint4(words[0], words[1], words[2], words[3]);
    }
  }
};

/// Raises a head's factor to that of this CTA's block. Heads of zeros only are left at 0.
template <int kHeadDim, ptx::Element kElement>
__global__ void __launch_bounds__(kMaxThreads) measure_values(const ValuesTask task) {
  const float largest = ValuePart<kHeadDim, kElement>(task).magnitude();
  if (threadIdx.x == 0 && largest > 0.0F) {
    raise(task.head_factors + pair_of_cta(), factor_of(largest));
  }
}

/// Quantises and transposes a block of keys.
template <int kHeadDim, ptx::Element kElement>
__global__ void __launch_bounds__(kMaxThreads) quantize_values(const ValuesTask task) {
  const std::int64_t pair = pair_of_cta();
  const ValuePart<kHeadDim, kElement> part(task);
  float factor = 1.0F;
  if (task.head_factors == nullptr) {
    factor = factor_of(part.magnitude());
  } else if (task.head_factors[pair] > 0.0F) {
    factor = task.head_factors[pair];
  }
  part.store(task.image + pair * task.source.padded_rows * kHeadDim, task, 1.0F / factor);
  if (threadIdx.x == 0) {
    task.kv_scales[2 * (pair * task.blocks + block_of_cta()) + 1] = log2f(factor);
  }
}

}  // namespace fa3prof::kernels::quantize
