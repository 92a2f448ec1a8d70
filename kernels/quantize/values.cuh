// Quantises V: takes away the mean of each channel, finds the factors, transposes.
#pragma once

#include "kernels/ptx/convert_e4m3.cuh"
#include "kernels/quantize/elements.cuh"
#include "kernels/quantize/layout.h"

#include <cstdint>

namespace fa3prof::kernels::quantize {

struct ValuesTask {
  Source source;
  std::uint8_t* image;  ///< [batch, heads, padded keys, channels], transposed
  float* kv_scales;     ///< [batch, heads, blocks, 2]: writes the second, log2 of the factor
  float* head_factors;  ///< [batch, heads]: read where all blocks of a head share one, else null
  float* sums;          ///< [batch, heads, blocks, head_dim]
  float* mean;          ///< [batch, heads, head_dim]
  int channels;         ///< head_dim, or kSumChannels more
  int block_keys;
  int slab_keys;
  int blocks;
  bool removes_mean;
};

inline constexpr int kValueThreads = 512;  ///< at most

/// Sixteen neighbouring keys of four neighbouring channels of V, as they were read. A warp holds 32
/// keys of 64 channels, so that it both reads and writes whole sectors; the CTA's threads hold a
/// block of keys, which is read once, however many looks at it the factor takes.
template <int kHeadDim, ptx::Element kElement>
class ValuePart {
 public:
  static constexpr int kKeys = 16;
  static constexpr int kChannels = 4;

  [[nodiscard]] static constexpr int threads_for(int block_keys) {
    return block_keys * kHeadDim / (kKeys * kChannels);
  }

  __device__ __forceinline__ explicit ValuePart(const ValuesTask& task) {
    const std::uint16_t* head = task.source.head(batch_of_cta(), head_of_cta()) + channel();
    const int first = key(task);
    FA3PROF_UNROLL
    for (int i = 0; i < kKeys; ++i) {  // without a branch, so that none waits for another
      const int at = min(first + i, task.source.rows - 1);
      bits_[i] = __ldg(reinterpret_cast<const uint2*>(head + at * task.source.row_stride));
    }
    keys_ = task.source.rows - first;
  }

  [[nodiscard]] static __device__ __forceinline__ int channel() {
    const auto thread = static_cast<int>(threadIdx.x);
    return (thread / 32 % kWarps * kLanes + thread % kLanes) * kChannels;
  }

  /// Which sixteen keys of the block.
  [[nodiscard]] static __device__ __forceinline__ int group() {
    const auto thread = static_cast<int>(threadIdx.x);
    return thread / 32 / kWarps * 2 + thread % 32 / kLanes;
  }

  /// The first of the keys.
  [[nodiscard]] static __device__ __forceinline__ int key(const ValuesTask& task) {
    return block_of_cta() * task.block_keys + group() * kKeys;
  }

  /// Takes `mean` from all values that follow.
  __device__ __forceinline__ void centre(const float4& mean) { mean_ = mean; }

  /// Values of key `i`; zero beyond the end.
  [[nodiscard]] __device__ __forceinline__ float4 values(int i) const {
    if (i >= keys_) return {0.0F, 0.0F, 0.0F, 0.0F};
    const float2 lower = to_floats<kElement>(bits_[i].x);
    const float2 upper = to_floats<kElement>(bits_[i].y);
    return {lower.x - mean_.x, lower.y - mean_.y, upper.x - mean_.z, upper.y - mean_.w};
  }

  /// Largest magnitude of the whole CTA's block.
  [[nodiscard]] __device__ __forceinline__ float magnitude() const {
    float largest = 0.0F;
    FA3PROF_UNROLL
    for (int i = 0; i < kKeys; ++i) largest = larger(largest, values(i));
    if (largest > FLT_MAX) {
      largest = 0.0F;
      FA3PROF_UNROLL
      for (int i = 0; i < kKeys; ++i) largest = larger(largest, without_infinity(values(i)));
    }
    return largest_of_cta(largest);
  }

  /// Transposed, in units of a factor, given its inverse: the keys of a channel lie side by side,
  /// in the order of place_of_key.
  __device__ __forceinline__ void store(std::uint8_t* head, const ValuesTask& task,
                                        float inverse) const {
    std::uint32_t words[kChannels][kKeys / 4];
    FA3PROF_UNROLL
    for (int q = 0; q < kKeys / 4; ++q) {
      const float4 keys[4] = {scaled(values(2 * q), inverse), scaled(values(2 * q + 1), inverse),
                              scaled(values(2 * q + 8), inverse),
                              scaled(values(2 * q + 9), inverse)};
      words[0][q] = ptx::pack_e4m3(keys[0].x, keys[1].x, keys[2].x, keys[3].x);
      words[1][q] = ptx::pack_e4m3(keys[0].y, keys[1].y, keys[2].y, keys[3].y);
      words[2][q] = ptx::pack_e4m3(keys[0].z, keys[1].z, keys[2].z, keys[3].z);
      words[3][q] = ptx::pack_e4m3(keys[0].w, keys[1].w, keys[2].w, keys[3].w);
    }
    FA3PROF_UNROLL
    for (int c = 0; c < kChannels; ++c) {
      *reinterpret_cast<uint4*>(
          head + transposed_offset(key(task), channel() + c, task.channels, task.slab_keys)) =
          make_uint4(words[c][0], words[c][1], words[c][2], words[c][3]);
    }
  }

 private:
  static constexpr int kLanes = 16;  ///< side by side in a row
  static constexpr int kWarps = kHeadDim / (kLanes * kChannels);

  uint2 bits_[kKeys];
  int keys_;  ///< that there are, from the first one on
  float4 mean_ = {0.0F, 0.0F, 0.0F, 0.0F};
};

/// Sums of each channel over a block of keys. A fixed order, so that runs repeat to the bit.
template <int kHeadDim, ptx::Element kElement>
__global__ void __launch_bounds__(kValueThreads, 2)
    sum_channels(const __grid_constant__ ValuesTask task) {
  using Part = ValuePart<kHeadDim, kElement>;
  __shared__ float groups[kValueThreads * Part::kChannels];
  const Part part(task);
  float4 sums{};
  FA3PROF_UNROLL
  for (int i = 0; i < Part::kKeys; ++i) {
    const float4 values = part.values(i);
    sums = {sums.x + values.x, sums.y + values.y, sums.z + values.z, sums.w + values.w};
  }
  *reinterpret_cast<float4*>(groups + Part::group() * kHeadDim + Part::channel()) = sums;
  __syncthreads();
  for (int channel = static_cast<int>(threadIdx.x); channel < kHeadDim;
       channel += static_cast<int>(blockDim.x)) {
    float sum = 0.0F;
    for (int group = 0; group < task.block_keys / Part::kKeys; ++group) {
      sum += groups[group * kHeadDim + channel];
    }
    task.sums[(pair_of_cta() * task.blocks + block_of_cta()) * kHeadDim + channel] = sum;
  }
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

/// V without its mean.
template <int kHeadDim, ptx::Element kElement>
__device__ __forceinline__ ValuePart<kHeadDim, kElement> centred_part(const ValuesTask& task) {
  ValuePart<kHeadDim, kElement> part(task);
  part.centre(
      *reinterpret_cast<const float4*>(task.mean + pair_of_cta() * kHeadDim + part.channel()));
  return part;
}

/// Raises a head's factor to that of this CTA's block. Heads of zeros only are left at 0.
template <int kHeadDim, ptx::Element kElement>
__global__ void __launch_bounds__(kValueThreads, 2)
    measure_values(const __grid_constant__ ValuesTask task) {
  const float largest = centred_part<kHeadDim, kElement>(task).magnitude();
  if (threadIdx.x == 0 && largest > 0.0F) {
    raise(task.head_factors + pair_of_cta(), factor_of(largest));
  }
}

/// Fills the channels of this CTA's block of keys that follow those of V.
template <int kHeadDim>
__device__ __forceinline__ void write_ones(std::uint8_t* head, const ValuesTask& task) {
  constexpr std::uint32_t kFourOnes = 0x38383838U;  // e4m3
  constexpr int kBytes = 16;
  const int pieces = kSumChannels * task.block_keys / kBytes;
  for (int i = static_cast<int>(threadIdx.x); i < pieces; i += static_cast<int>(blockDim.x)) {
    const int channel = kHeadDim + i % kSumChannels;
    const int key = block_of_cta() * task.block_keys + i / kSumChannels * kBytes;
    *reinterpret_cast<uint4*>(head +
                              transposed_offset(key, channel, task.channels, task.slab_keys)) =
        make_uint4(kFourOnes, kFourOnes, kFourOnes, kFourOnes);
  }
}

/// Quantises and transposes a block of keys.
template <int kHeadDim, ptx::Element kElement>
__global__ void __launch_bounds__(kValueThreads, 2)
    quantize_values(const __grid_constant__ ValuesTask task) {
  const std::int64_t pair = pair_of_cta();
  const auto part = centred_part<kHeadDim, kElement>(task);
  float factor = 1.0F;
  if (task.head_factors == nullptr) {
    factor = factor_of(part.magnitude());
  } else if (task.head_factors[pair] > 0.0F) {
    factor = task.head_factors[pair];
  }
  std::uint8_t* head = task.image + pair * task.source.padded_rows * task.channels;
  part.store(head, task, 1.0F / factor);
  if (task.channels > kHeadDim) write_ones<kHeadDim>(head, task);
  if (threadIdx.x == 0) {
    task.kv_scales[2 * (pair * task.blocks + block_of_cta()) + 1] = log2f(factor);
  }
}

}  // namespace fa3prof::kernels::quantize
