// The rows of a tile that one consumer warpgroup owns, with the scales and the softmax of e4m3.
#pragma once

#include "kernels/fa3/own_rows.cuh"
#include "kernels/fa3_fp8/softmax.cuh"
#include "kernels/fa3_fp8/storage.cuh"

#include <cstdint>

namespace fa3prof::kernels::fa3_fp8 {

/// A warpgroup's 64 rows, as one of its threads sees them.
template <typename Instance>
class OwnRows : public fa3::OwnRows<Instance, Parameters, fa3::RereadThread> {
  using Base = fa3::OwnRows<Instance, Parameters, fa3::RereadThread>;

 public:
  using Base::Base;
  using Base::kHeadDim;
  using Base::kOutputs;
  using Softmax = BlockSoftmax<Instance::kConfig.sums_in_gemm>;

  /// batch * heads_kv + kv_head of the keys that these rows see.
  __device__ __forceinline__ int kv_pair(const Work& work) const {
    return kv_pair_of(this->p_, work.pair);
  }

  /// softmax_scale * log2(e) * factor of Q for these rows.
  __device__ __forceinline__ float query_scale(const Work& work) const {
    const int row = work.first_row + this->warpgroup_ * kWarpgroupRows;
    // A tile may end in rows that are not there.
    const int block = min(row / quantize::kQueryScaleRows, this->p_.query_scales - 1);
    return this->p_.scale_log2 * __ldg(this->p_.inputs.q_scales +
                                       std::int64_t{work.pair} * this->p_.query_scales + block);
  }

  /// Factor of K and log2 of the factor of V of a key block.
  __device__ __forceinline__ float2 key_scales(int kv_pair, int block) const {
    return __ldg(reinterpret_cast<const float2*>(this->p_.inputs.kv_scales) +
                 std::int64_t{kv_pair} * this->p_.key_blocks + block);
  }

  /// Epilogue: normalises and writes the rows that exist.
  __device__ __forceinline__ void store(const Work& work, Softmax softmax,
                                        float (&output)[kOutputs]) const {
    if constexpr (!Instance::kConfig.sums_in_gemm) softmax.finish_sums();
    finish_output(kv_pair(work), softmax, output);
    this->store_rows(work, softmax, output, [](int) { return 1.0F; });
  }

 private:
  /// Divides by the sums and gives back the mean of V; empty rows are 0.
  __device__ __forceinline__ void finish_output(int kv_pair, const Softmax& softmax,
                                                float (&output)[kOutputs]) const {
    const auto* mean = reinterpret_cast<const float2*>(
        this->p_.inputs.v_mean + std::int64_t{kv_pair} * kHeadDim + this->thread() % 4 * 2);
    float factor[tile::kRowsPerThread];
    float mean_factor[tile::kRowsPerThread];
    FA3PROF_UNROLL
    for (int r = 0; r < tile::kRowsPerThread; ++r) {
      factor[r] = softmax.has_keys(r) ? __fdividef(1.0F, softmax.row_sum[r]) : 0.0F;
      mean_factor[r] = softmax.has_keys(r) ? 1.0F : 0.0F;
    }
    FA3PROF_UNROLL
    for (int i = 0; i < kOutputs; i += 4) {
      const float2 at = __ldg(mean + i);  // columns 2 i + 2 (lane % 4) and the next
      FA3PROF_UNROLL
      for (int r = 0; r < tile::kRowsPerThread; ++r) {
        float& left = output[i + 2 * r];
        float& right = output[i + 2 * r + 1];
        left = fmaf(left, factor[r], at.x * mean_factor[r]);
        right = fmaf(right, factor[r], at.y * mean_factor[r]);
      }
    }
  }
};

}  // namespace fa3prof::kernels::fa3_fp8
