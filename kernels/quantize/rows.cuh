// Quantises the rows of Q or K, after rotating each. A CTA holds a block of rows.
#pragma once

#include "kernels/ptx/convert_e4m3.cuh"
#include "kernels/quantize/elements.cuh"
#include "kernels/quantize/layout.h"
#include "kernels/quantize/quantize.h"

#include <cmath>
#include <cstdint>

namespace fa3prof::kernels::quantize {

struct RowsTask {
  Source source;
  std::uint8_t* image;  ///< [batch, heads, padded rows, head_dim]
  float* factors;       ///< of block n of a head: factors[(pair * blocks + n) * factor_step]
  float* head_factors;  ///< [batch, heads]: read where all blocks of a head share one, else null
  int factor_step;
  int blocks;  ///< of a head that have a factor
  int block_rows;
  bool rotates;
  Signs signs;
};

inline constexpr int kRowThreads = 1024;  ///< at most

/// The part of a row that a thread holds, rotated; zero in rows beyond the end. kLanes neighbouring
/// lanes hold a row, each of them every kLanes-th chunk of eight channels. The CTA's threads hold a
/// block of rows, which is read once, however many looks at it the factor takes.
template <int kHeadDim, ptx::Element kElement>
class RowPart {
 public:
  [[nodiscard]] static constexpr int threads_for(int block_rows) { return block_rows * kLanes; }

  __device__ __forceinline__ explicit RowPart(const RowsTask& task) {
    const std::uint16_t* at = task.source.head(batch_of_cta(), head_of_cta()) +
                              min(row(task), task.source.rows - 1) * task.source.row_stride;
    uint4 bits[kChunks];
    FA3PROF_UNROLL
    for (int chunk = 0; chunk < kChunks; ++chunk) {
      bits[chunk] = __ldg(reinterpret_cast<const uint4*>(at + channel(chunk)));
    }
    FA3PROF_UNROLL
    for (int chunk = 0; chunk < kChunks; ++chunk) {
      if (task.rotates) bits[chunk] = flipped(bits[chunk], task.signs, channel(chunk));
      convert(bits[chunk], values_ + kChunk * chunk);
    }
    if (task.rotates) rotate();
    if (row(task) < task.source.rows) return;
    FA3PROF_UNROLL
    for (float& value : values_) value = 0.0F;
  }

  /// Largest magnitude of the whole CTA's block.
  [[nodiscard]] __device__ __forceinline__ float magnitude() const {
    float largest = 0.0F;
    FA3PROF_UNROLL
    for (int i = 0; i < kCount; i += 4) largest = larger(largest, four(i));
    if (largest > FLT_MAX) {
      largest = 0.0F;
      FA3PROF_UNROLL
      for (int i = 0; i < kCount; i += 4) largest = larger(largest, without_infinity(four(i)));
    }
    return largest_of_cta(largest);
  }

  /// In units of a factor, given its inverse.
  __device__ __forceinline__ void store(std::uint8_t* head, const RowsTask& task,
                                        float inverse) const {
    if (row(task) >= task.source.padded_rows) return;
    FA3PROF_UNROLL
    for (int chunk = 0; chunk < kChunks; ++chunk) {
      const float4 left = scaled(four(kChunk * chunk), inverse);
      const float4 right = scaled(four(kChunk * chunk + 4), inverse);
      *reinterpret_cast<uint2*>(head + row_offset(row(task), channel(chunk), kHeadDim)) =
          make_uint2(ptx::pack_e4m3(left.x, left.y, left.z, left.w),
                     ptx::pack_e4m3(right.x, right.y, right.z, right.w));
    }
  }

 private:
  static constexpr int kChunk = 8;  ///< channels that a lane reads at a time: 16 bytes
  static constexpr int kChunks = 4;
  static constexpr int kCount = kChunk * kChunks;
  static constexpr int kLanes = kHeadDim / kCount;

  [[nodiscard]] static __device__ __forceinline__ int row(const RowsTask& task) {
    return block_of_cta() * task.block_rows + static_cast<int>(threadIdx.x) / kLanes;
  }

  /// First channel of a chunk.
  [[nodiscard]] static __device__ __forceinline__ int channel(int chunk) {
    return (chunk * kLanes + static_cast<int>(threadIdx.x) % kLanes) * kChunk;
  }

  [[nodiscard]] __device__ __forceinline__ float4 four(int i) const {
    return {values_[i], values_[i + 1], values_[i + 2], values_[i + 3]};
  }

  /// Eight elements from channel `first` on, times their signs.
  static __device__ __forceinline__ uint4 flipped(const uint4& bits, const Signs& signs,
                                                  int first) {
    const std::uint32_t negative = signs[first / 32] >> first % 32;
    const auto flips = [negative](int i) {  // of elements i and i + 1
      return (negative << (15 - i) & 0x8000U) | (negative << (30 - i) & 0x80000000U);
    };
    return {bits.x ^ flips(0), bits.y ^ flips(2), bits.z ^ flips(4), bits.w ^ flips(6)};
  }

  static __device__ __forceinline__ void convert(const uint4& bits, float* values) {
    const std::uint32_t pairs[4] = {bits.x, bits.y, bits.z, bits.w};
    FA3PROF_UNROLL
    for (int i = 0; i < 4; ++i) {
      const float2 pair = to_floats<kElement>(pairs[i]);
      values[2 * i] = pair.x;
      values[2 * i + 1] = pair.y;
    }
  }

  /// The Walsh-Hadamard transform in log2(head_dim) steps: within chunks, between the lanes'
  /// chunks, between those of a lane.
  __device__ __forceinline__ void rotate() {
    FA3PROF_UNROLL
    for (int step = 1; step < kChunk; step *= 2) add_and_subtract(step);
    FA3PROF_UNROLL
    for (unsigned step = 1; step < kLanes; step *= 2) {
      const float own = (threadIdx.x & step) != 0 ? -1.0F : 1.0F;
      FA3PROF_UNROLL
      for (float& value : values_) {
        value = fmaf(own, value, __shfl_xor_sync(0xffffffffU, value, step));
      }
    }
    FA3PROF_UNROLL
    for (int step = kChunk; step < kCount; step *= 2) add_and_subtract(step);
    const float norm = rsqrtf(static_cast<float>(kHeadDim));
    FA3PROF_UNROLL
    for (float& value : values_) value *= norm;
  }

  __device__ __forceinline__ void add_and_subtract(int step) {
    FA3PROF_UNROLL
    for (int i = 0; i < kCount; ++i) {
      if ((i & step) != 0) continue;
      const float lower = values_[i];
      values_[i] = lower + values_[i + step];
      values_[i + step] = lower - values_[i + step];
    }
  }

  float values_[kCount];
};

/// Raises a head's factor to that of this CTA's block. Heads of zeros only are left at 0.
template <int kHeadDim, ptx::Element kElement>
__global__ void __launch_bounds__(kRowThreads) measure_rows(const __grid_constant__ RowsTask task) {
  const float largest = RowPart<kHeadDim, kElement>(task).magnitude();
  if (threadIdx.x == 0 && largest > 0.0F) {
    raise(task.head_factors + pair_of_cta(), factor_of(largest));
  }
}

/// Quantises a block of rows.
template <int kHeadDim, ptx::Element kElement>
__global__ void __launch_bounds__(kRowThreads)
    quantize_rows(const __grid_constant__ RowsTask task) {
  const std::int64_t pair = pair_of_cta();
  const RowPart<kHeadDim, kElement> part(task);
  float factor = 1.0F;
  if (task.head_factors == nullptr) {
    factor = factor_of(part.magnitude());
  } else if (task.head_factors[pair] > 0.0F) {
    factor = task.head_factors[pair];
  }
  part.store(task.image + pair * task.source.padded_rows * kHeadDim, task, 1.0F / factor);
  if (threadIdx.x == 0 && block_of_cta() < task.blocks) {
    task.factors[(pair * task.blocks + block_of_cta()) * task.factor_step] = factor;
  }
}

}  // namespace fa3prof::kernels::quantize
