// Quantises the rows of Q or K, after rotating each. A warp holds one row at a time.
#pragma once

#include "kernels/ptx/convert_e4m3.cuh"
#include "kernels/quantize/elements.cuh"
#include "kernels/quantize/layout.h"
#include "kernels/quantize/quantize.h"

#include <cmath>
#include <cstdint>

namespace fa3prof::kernels::quantize {

inline constexpr int kThreads = 256;

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

/// The part of a row that a lane holds.
template <int kHeadDim, ptx::Element kElement>
struct RowPart {
  static constexpr int kCount = kHeadDim / 32;
  float values[kCount];

  __device__ __forceinline__ void load(const std::uint16_t* row) {
    std::uint32_t pairs[kCount / 2];
    const void* at = row + threadIdx.x % 32 * kCount;
    if constexpr (kCount == 2) {
      pairs[0] = __ldg(static_cast<const unsigned*>(at));
    } else if constexpr (kCount == 4) {
      *reinterpret_cast<uint2*>(pairs) = __ldg(static_cast<const uint2*>(at));
    } else {
      *reinterpret_cast<uint4*>(pairs) = __ldg(static_cast<const uint4*>(at));
    }
    FA3PROF_UNROLL
    for (int i = 0; i < kCount / 2; ++i) {
      const float2 pair = to_floats<kElement>(pairs[i]);
      values[2 * i] = pair.x;
      values[2 * i + 1] = pair.y;
    }
  }

  /// Signs, then the Walsh-Hadamard transform in log2(head_dim) steps: first between the values of
  /// a lane, then between lanes.
  __device__ __forceinline__ void rotate(const Signs& signs) {
    const auto first = threadIdx.x % 32 * kCount;
    FA3PROF_UNROLL
    for (unsigned i = 0; i < kCount; ++i) {
      const unsigned channel = first + i;
      if ((signs[channel / 32] >> channel % 32 & 1U) != 0) values[i] = -values[i];
    }
    FA3PROF_UNROLL
    for (int step = 1; step < kCount; step *= 2) {
      FA3PROF_UNROLL
      for (int i = 0; i < kCount; ++i) {
        if ((i & step) != 0) continue;
        const float lower = values[i];
        values[i] = lower + values[i + step];
        values[i + step] = lower - values[i + step];
      }
    }
    FA3PROF_UNROLL
    for (unsigned step = 1; step < 32; step *= 2) {
      const bool is_upper = (threadIdx.x & step) != 0;
      FA3PROF_UNROLL
      for (int i = 0; i < kCount; ++i) {
        const float other = __shfl_xor_sync(0xffffffffU, values[i], step);
        values[i] = is_upper ? other - values[i] : values[i] + other;
      }
    }
    const float norm = rsqrtf(static_cast<float>(kHeadDim));
    FA3PROF_UNROLL
    for (float& value : values) value *= norm;
  }

  [[nodiscard]] __device__ __forceinline__ float magnitude() const {
    float largest = 0.0F;
    FA3PROF_UNROLL
    for (const float value : values) largest = larger(largest, value);
    return largest;
  }

  __device__ __forceinline__ void store(std::uint8_t* head, std::int64_t row, float inverse) const {
    const int column = static_cast<int>(threadIdx.x % 32) * kCount;
    std::uint8_t* at = head + row_offset(row, column, kHeadDim);
    if constexpr (kCount == 2) {
      *reinterpret_cast<std::uint16_t*>(at) = static_cast<std::uint16_t>(
          ptx::pack_e4m3(scaled(values[0], inverse), scaled(values[1], inverse), 0.0F, 0.0F));
    } else {
      FA3PROF_UNROLL
      for (int i = 0; i < kCount; i += 4) {
        *reinterpret_cast<std::uint32_t*>(at + i) =
            ptx::pack_e4m3(scaled(values[i], inverse), scaled(values[i + 1], inverse),
                           scaled(values[i + 2], inverse), scaled(values[i + 3], inverse));
      }
    }
  }
};

/// Calls `use` with each row of this CTA's block that this warp takes, rotated; rows beyond the end
/// are zero.
template <int kHeadDim, ptx::Element kElement, typename Use>
__device__ __forceinline__ void for_rows(const RowsTask& task, Use use) {
  const std::uint16_t* head =
      task.source.head(static_cast<int>(blockIdx.z), static_cast<int>(blockIdx.y));
  const int first = static_cast<int>(blockIdx.x) * task.block_rows;
  const int end = min(first + task.block_rows, task.source.padded_rows);
  for (int row = first + static_cast<int>(threadIdx.x / 32); row < end; row += kThreads / 32) {
    RowPart<kHeadDim, kElement> part{};
    if (row < task.source.rows) {
      part.load(head + row * task.source.row_stride);
      if (task.rotates) part.rotate(task.signs);
    }
    use(part, row);
  }
}

template <int kHeadDim, ptx::Element kElement>
__device__ __forceinline__ float magnitude_of_block(const RowsTask& task) {
  float largest = 0.0F;
  for_rows<kHeadDim, kElement>(
      task, [&](const auto& part, int) { largest = fmaxf(largest, part.magnitude()); });
  return largest_of_cta<kThreads>(largest);
}

/// Raises a head's factor to that of this CTA's block. Heads of zeros only are left at 0.
template <int kHeadDim, ptx::Element kElement>
__global__ void __launch_bounds__(kThreads) measure_rows(const __grid_constant__ RowsTask task) {
  const float largest = magnitude_of_block<kHeadDim, kElement>(task);
  if (threadIdx.x == 0 && largest > 0.0F) {
    raise(task.head_factors + blockIdx.z * gridDim.y + blockIdx.y, factor_of(largest));
  }
}

/// Quantises a block of rows; the second look at them is served by the caches.
template <int kHeadDim, ptx::Element kElement>
__global__ void __launch_bounds__(kThreads) quantize_rows(const __grid_constant__ RowsTask task) {
  const unsigned pair = blockIdx.z * gridDim.y + blockIdx.y;
  float factor = 1.0F;
  if (task.head_factors == nullptr) {
    factor = factor_of(magnitude_of_block<kHeadDim, kElement>(task));
  } else if (task.head_factors[pair] > 0.0F) {
    factor = task.head_factors[pair];
  }
  const float inverse = 1.0F / factor;
  std::uint8_t* head = task.image + pair * std::int64_t{task.source.padded_rows} * kHeadDim;
  for_rows<kHeadDim, kElement>(task,
                               [&](const auto& part, int row) { part.store(head, row, inverse); });
  const auto block = static_cast<int>(blockIdx.x);
  if (threadIdx.x == 0 && block < task.blocks) {
    task.factors[(std::int64_t{pair} * task.blocks + block) * task.factor_step] = factor;
  }
}

}  // namespace fa3prof::kernels::quantize
