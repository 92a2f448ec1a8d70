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

/// Part of a row: every kLanes-th chunk of eight channels. kLanes neighbouring lanes hold the row.
template <int kHeadDim, ptx::Element kElement>
struct RowPart {
  static constexpr int kChunk = 8;  ///< what a lane reads at a time, 16 bytes
  static constexpr int kChunks = 4;
  static constexpr int kCount = kChunk * kChunks;
  static constexpr int kLanes = kHeadDim / kCount;
  float values[kCount];

  /// First channel of a chunk.
  [[nodiscard]] static __device__ __forceinline__ int channel(int chunk) {
    return (chunk * kLanes + static_cast<int>(threadIdx.x) % kLanes) * kChunk;
  }

  __device__ __forceinline__ void load(const std::uint16_t* row) {
    FA3PROF_UNROLL
    for (int chunk = 0; chunk < kChunks; ++chunk) {
      const uint4 bits = __ldg(reinterpret_cast<const uint4*>(row + channel(chunk)));
      const std::uint32_t pairs[4] = {bits.x, bits.y, bits.z, bits.w};
      FA3PROF_UNROLL
      for (int i = 0; i < 4; ++i) {
        const float2 pair = to_floats<kElement>(pairs[i]);
        values[kChunk * chunk + 2 * i] = pair.x;
        values[kChunk * chunk + 2 * i + 1] = pair.y;
      }
    }
  }

  /// Signs, then the Walsh-Hadamard transform in log2(head_dim) steps: within chunks, between the
  /// lanes' chunks, between those of a lane.
  __device__ __forceinline__ void rotate(const Signs& signs) {
    FA3PROF_UNROLL
    for (int i = 0; i < kCount; ++i) {
      const int first = channel(i / kChunk);
      if ((signs[first / 32] >> (first % 32 + i % kChunk) & 1U) != 0) values[i] = -values[i];
    }
    FA3PROF_UNROLL
    for (int step = 1; step < kChunk; step *= 2) add_and_subtract(step);
    FA3PROF_UNROLL
    for (unsigned step = 1; step < kLanes; step *= 2) {
      const float own = (threadIdx.x & step) != 0 ? -1.0F : 1.0F;
      FA3PROF_UNROLL
      for (float& value : values) {
        value = fmaf(own, value, __shfl_xor_sync(0xffffffffU, value, step));
      }
    }
    FA3PROF_UNROLL
    for (int step = kChunk; step < kCount; step *= 2) add_and_subtract(step);
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
    FA3PROF_UNROLL
    for (int chunk = 0; chunk < kChunks; ++chunk) {
      const auto four = [&](int i) {
        const float* at = values + kChunk * chunk + i;
        return ptx::pack_e4m3(scaled(at[0], inverse), scaled(at[1], inverse),
                              scaled(at[2], inverse), scaled(at[3], inverse));
      };
      *reinterpret_cast<uint2*>(head + row_offset(row, channel(chunk), kHeadDim)) =
          make_uint2(four(0), four(4));
    }
  }

 private:
  __device__ __forceinline__ void add_and_subtract(int step) {
    FA3PROF_UNROLL
    for (int i = 0; i < kCount; ++i) {
      if ((i & step) != 0) continue;
      const float lower = values[i];
      values[i] = lower + values[i + step];
      values[i + step] = lower - values[i + step];
    }
  }
};

/// The rows that a thread has parts of, every `kStride`-th of the block, rotated; rows beyond the
/// end are zero.
template <int kHeadDim, ptx::Element kElement>
struct RowBlock {
  using Part = RowPart<kHeadDim, kElement>;
  static constexpr int kParts = kValuesPerThread / Part::kCount;
  Part parts[kParts];

  __device__ __forceinline__ explicit RowBlock(const RowsTask& task) {
    const std::uint16_t* head = task.source.head(batch_of_cta(), head_of_cta());
    FA3PROF_UNROLL
    for (int i = 0; i < kParts; ++i) {
      parts[i] = {};
      if (row(i, task) < task.source.rows)
        parts[i].load(head + row(i, task) * task.source.row_stride);
    }
    if (!task.rotates) return;
    FA3PROF_UNROLL
    for (Part& part : parts) part.rotate(task.signs);
  }

  [[nodiscard]] static __device__ __forceinline__ int row(int i, const RowsTask& task) {
    const int rows_at_once = static_cast<int>(blockDim.x) / Part::kLanes;
    return block_of_cta() * task.block_rows + i * rows_at_once +
           static_cast<int>(threadIdx.x) / Part::kLanes;
  }

  /// Of the whole CTA's block.
  [[nodiscard]] __device__ __forceinline__ float magnitude() const {
    float largest = 0.0F;
    FA3PROF_UNROLL
    for (const Part& part : parts) largest = fmaxf(largest, part.magnitude());
    return largest_of_cta(largest);
  }

  __device__ __forceinline__ void store(std::uint8_t* head, const RowsTask& task,
                                        float inverse) const {
    FA3PROF_UNROLL
    for (int i = 0; i < kParts; ++i) {
      if (row(i, task) < task.source.padded_rows) parts[i].store(head, row(i, task), inverse);
    }
  }
};

/// Raises a head's factor to that of this CTA's block. Heads of zeros only are left at 0.
template <int kHeadDim, ptx::Element kElement>
__global__ void __launch_bounds__(kMaxThreads) measure_rows(const __grid_constant__ RowsTask task) {
  const float largest = RowBlock<kHeadDim, kElement>(task).magnitude();
  if (threadIdx.x == 0 && largest > 0.0F) {
    raise(task.head_factors + pair_of_cta(), factor_of(largest));
  }
}

/// Quantises a block of rows.
template <int kHeadDim, ptx::Element kElement>
__global__ void __launch_bounds__(kMaxThreads)
    quantize_rows(const __grid_constant__ RowsTask task) {
  const std::int64_t pair = pair_of_cta();
  const RowBlock<kHeadDim, kElement> rows(task);
  float factor = 1.0F;
  if (task.head_factors == nullptr) {
    factor = factor_of(rows.magnitude());
  } else if (task.head_factors[pair] > 0.0F) {
    factor = task.head_factors[pair];
  }
  rows.store(task.image + pair * task.source.padded_rows * kHeadDim, task, 1.0F / factor);
  if (threadIdx.x == 0 && block_of_cta() < task.blocks) {
    task.factors[(pair * task.blocks + block_of_cta()) * task.factor_step] = factor;
  }
}

}  // namespace fa3prof::kernels::quantize
