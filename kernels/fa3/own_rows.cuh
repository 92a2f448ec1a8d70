// The rows of a tile that one consumer warpgroup of an FA3-style kernel owns: which keys they see,
// and where their results go.
#pragma once

#include "kernels/fa3/tile_work.cuh"
#include "kernels/ptx/global_store.cuh"
#include "kernels/ptx/unroll.h"
#include "kernels/ptx/warpgroup.cuh"
#include "kernels/tile/softmax_rows.cuh"
#include "kernels/tile/store_rows.cuh"

#include <cmath>
#include <cstdint>

namespace fa3prof::kernels::fa3 {

/// A thread's number within its warpgroup, kept in a register.
class KeptThread {
 public:
  __device__ __forceinline__ int operator()() const { return thread_; }

 private:
  int thread_ = static_cast<int>(threadIdx.x) % kWarpgroupThreads;
};

/// The same, read anew each time: a register fewer through the loop.
struct RereadThread {
  __device__ __forceinline__ int operator()() const {
    return ptx::reread_thread_index() % kWarpgroupThreads;
  }
};

/// A warpgroup's 64 rows, as one of its threads sees them.
template <typename Instance, typename Parameters, typename Thread>
class OwnRows {
 public:
  static constexpr int kTileN = Instance::kConfig.tile_n;
  static constexpr int kHeadDim = Instance::kConfig.head_dim;
  static constexpr int kScores = kTileN / 2;     // accumulator registers of S
  static constexpr int kOutputs = kHeadDim / 2;  // of O

  __device__ __forceinline__ OwnRows(const Parameters& p, int warpgroup)
      : p_(p), warpgroup_(warpgroup) {}

  /// Key blocks of the tile that this warpgroup's rows see any of; at least one, for its softmax to
  /// say that there is nothing to see.
  __device__ __forceinline__ int key_blocks(const Work& work) const {
    if constexpr (!Instance::kIsCausal) return work.key_blocks;
    const int end_row = min(work.first_row + (warpgroup_ + 1) * kWarpgroupRows, p_.seqlen_q);
    const int visible = max(1, end_row + p_.seqlen_kv - p_.seqlen_q);
    return min(work.key_blocks, (visible + kTileN - 1) / kTileN);
  }

  /// First key block that some row of this warpgroup does not see whole.
  __device__ __forceinline__ int first_masked_block(const Work& work) const {
    int visible = p_.seqlen_kv;
    if constexpr (Instance::kIsCausal) {
      const int first_row = work.first_row + warpgroup_ * kWarpgroupRows;
      visible = min(visible, max(0, first_row + 1 + p_.seqlen_kv - p_.seqlen_q));
    }
    return visible / kTileN;
  }

  /// Sets the scores of keys of `block` that a row does not see to -inf.
  __device__ __forceinline__ void mask(const Work& work, int block,
                                       float (&scores)[kScores]) const {
    int visible[tile::kRowsPerThread];
    FA3PROF_UNROLL
    for (int r = 0; r < tile::kRowsPerThread; ++r) {
      visible[r] = p_.seqlen_kv;
      if constexpr (Instance::kIsCausal) {
        visible[r] = min(visible[r], row_of(work, r) + 1 + p_.seqlen_kv - p_.seqlen_q);
      }
    }
    tile::mask_scores(scores, block * kTileN, visible);
  }

  /// Zeros and -inf for a tile that sees no key.
  __device__ __forceinline__ void store_empty(const Work& work) const {
    FA3PROF_UNROLL
    for (int r = 0; r < tile::kRowsPerThread; ++r) {
      const int row = row_of(work, r);
      if (row >= p_.seqlen_q) continue;
      auto* pieces = reinterpret_cast<uint4*>(output_row(work, row));
      for (int i = thread() % 4; i < kHeadDim / 8; i += 4) pieces[i] = make_uint4(0, 0, 0, 0);
      if (thread() % 4 == 0) lse_of(work, row) = -INFINITY;
    }
  }

 protected:
  /// Writes the rows that exist: row r of `output` times factor(r), and what the softmax, whose
  /// sums are complete, has as the logarithm.
  template <typename Softmax, typename Factor>
  __device__ __forceinline__ void store_rows(const Work& work, const Softmax& softmax,
                                             const float (&output)[kOutputs], Factor factor) const {
    FA3PROF_UNROLL
    for (int r = 0; r < tile::kRowsPerThread; ++r) {
      const int row = row_of(work, r);
      const bool exists = row < p_.seqlen_q;
      tile::store_row<Instance::kElement>(output, r, factor(r), output_row(work, row), exists);
      ptx::store_float_if(exists && thread() % 4 == 0, &lse_of(work, row), softmax.log_sum_exp(r));
    }
  }

  __device__ __forceinline__ int thread() const { return thread_(); }

  const Parameters& p_;
  int warpgroup_;

 private:
  /// Row (0 or 1) of this thread within the sequence.
  __device__ __forceinline__ int row_of(const Work& work, int r) const {
    return work.first_row + warpgroup_ * kWarpgroupRows + thread() / 32 * 16 + thread() % 32 / 4 +
           8 * r;
  }

  __device__ __forceinline__ std::uint16_t* output_row(const Work& work, int row) const {
    return p_.o + tile::batch_of(p_.order, work.pair) * p_.o_strides.batch +
           tile::head_of(p_.order, work.pair) * p_.o_strides.head + row * p_.o_strides.seq;
  }

  __device__ __forceinline__ float& lse_of(const Work& work, int row) const {
    return p_.lse[static_cast<std::int64_t>(work.pair) * p_.seqlen_q + row];
  }

  [[no_unique_address]] Thread thread_;
};

}  // namespace fa3prof::kernels::fa3
