// What memory holds of the query rows between key blocks, as one thread reads, updates and writes
// it: an eighth of a row of O, and the row's maximum and sum.
#pragma once

#include "kernels/fa1/storage.cuh"
#include "kernels/ptx/convert.cuh"
#include "kernels/ptx/math.cuh"
#include "kernels/ptx/unroll.h"

#include <cfloat>
#include <cmath>
#include <cstdint>

namespace fa3prof::kernels::fa1 {

/// Eight threads share a row; each owns four of every 32 columns, so that they read 128 bytes at a
/// time.
template <typename Instance>
class RowState {
  static constexpr Config kConfig = Instance::kConfig;
  static constexpr int kThreadsOfRow = kConfig.threads() / kConfig.tile_m;
  static constexpr int kColumnsAtOnce = 4 * kThreadsOfRow;
  static constexpr int kPieces = kConfig.head_dim / kColumnsAtOnce;

 public:
  /// Row of the tile that this thread updates, and its first column.
  static __device__ __forceinline__ int row() {
    return static_cast<int>(threadIdx.x) / kThreadsOfRow;
  }

  static __device__ __forceinline__ int column() {
    return static_cast<int>(threadIdx.x) % kThreadsOfRow * 4;
  }

  /// Of a row of which no key has been seen. Not -inf: the difference of two maxima must never be
  /// NaN, and a masked score (-inf) gives 2^-inf = 0 all the same.
  __device__ __forceinline__ RowState() : maximum_(-FLT_MAX), sum_(0.0F) {
    FA3PROF_UNROLL
    for (int i = 0; i < kPieces; ++i) output_[i] = float4{};
  }

  /// `state_row` counts over all heads.
  __device__ __forceinline__ void read(const Parameters& p, std::int64_t state_row) {
    const float* const output = p.output + state_row * kConfig.head_dim + column();
    FA3PROF_UNROLL
    for (int i = 0; i < kPieces; ++i) {
      output_[i] = *reinterpret_cast<const float4*>(output + i * kColumnsAtOnce);
    }
    const float2 row = p.row_state[state_row];
    maximum_ = row.x;
    sum_ = row.y;
  }

  /// Algorithm 1, lines 11 and 12: takes in a block whose probabilities are relative to `maximum`
  /// and sum to `sum`; `partial` is this thread's first column of the first warp's P V.
  __device__ __forceinline__ void update(float maximum, float sum, const float* partial) {
    const float raised = fmaxf(maximum_, maximum);
    const float old_sum = sum_ * ptx::ex2(maximum_ - raised);
    const float weight = ptx::ex2(maximum - raised);
    maximum_ = raised;
    sum_ = fmaf(weight, sum, old_sum);
    const float inverse = sum_ == 0.0F ? 0.0F : 1.0F / sum_;
    FA3PROF_UNROLL
    for (int i = 0; i < kPieces; ++i) {
      const float4 added = add_warps(partial + i * kColumnsAtOnce);
      scale_add(output_[i], old_sum * inverse, weight * inverse, added);
    }
  }

  __device__ __forceinline__ void write(const Parameters& p, std::int64_t state_row) const {
    float* const output = p.output + state_row * kConfig.head_dim + column();
    FA3PROF_UNROLL
    for (int i = 0; i < kPieces; ++i) {
      *reinterpret_cast<float4*>(output + i * kColumnsAtOnce) = output_[i];
    }
    if (column() == 0) p.row_state[state_row] = {maximum_, sum_};
  }

  /// The row is done: O in 16 bits and the logarithm of its sum, -inf for an empty row.
  __device__ __forceinline__ void finish(Element* o, float* lse) const {
    FA3PROF_UNROLL
    for (int i = 0; i < kPieces; ++i) {
      *reinterpret_cast<uint2*>(o + column() + i * kColumnsAtOnce) = {
          ptx::pack_pair<ptx::Element::kF16>(output_[i].x, output_[i].y),
          ptx::pack_pair<ptx::Element::kF16>(output_[i].z, output_[i].w)};
    }
    constexpr float kLn2 = 0.693147180559945309F;
    if (column() == 0) *lse = sum_ == 0.0F ? -INFINITY : fmaf(maximum_, kLn2, logf(sum_));
  }

 private:
  /// The warps' parts of four columns of P V.
  static __device__ __forceinline__ float4 add_warps(const float* partial) {
    float4 total = *reinterpret_cast<const float4*>(partial);
    FA3PROF_UNROLL
    for (int warp = 1; warp < kConfig.warps; ++warp) {
      partial += kConfig.tile_m * kConfig.partial_stride();
      const float4 part = *reinterpret_cast<const float4*>(partial);
      total = {total.x + part.x, total.y + part.y, total.z + part.z, total.w + part.w};
    }
    return total;
  }

  static __device__ __forceinline__ void scale_add(float4& output, float keep, float weight,
                                                   const float4& added) {
    output = {fmaf(output.x, keep, added.x * weight), fmaf(output.y, keep, added.y * weight),
              fmaf(output.z, keep, added.z * weight), fmaf(output.w, keep, added.w * weight)};
  }

  float4 output_[kPieces];
  float maximum_;  ///< times scale_log2
  float sum_;
};

}  // namespace fa3prof::kernels::fa1
