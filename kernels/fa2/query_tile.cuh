// A CTA of the FA2-style kernel at work on its tile of output, as one thread sees it.
#pragma once

#include "kernels/fa2/copy_rows.cuh"
#include "kernels/fa2/slab_softmax.cuh"
#include "kernels/fa2/storage.cuh"
#include "kernels/ptx/cp_async.cuh"
#include "kernels/ptx/ldmatrix.cuh"
#include "kernels/ptx/mma.cuh"
#include "kernels/ptx/unroll.h"
#include "kernels/tile/scheduler.cuh"
#include "kernels/tile/softmax_rows.cuh"
#include "kernels/tile/store_rows.cuh"
#include "kernels/tile/swizzled_rows.cuh"

#include <cstddef>
#include <cstdint>

namespace fa3prof::kernels::fa2 {

/// One CTA's tile of output: registers of one thread and the steps of the algorithm.
template <typename Instance>
class QueryTile {
 public:
  __device__ __forceinline__ QueryTile(const Parameters& p, std::uint32_t shared)
      : p_(p),
        at_(tile::position_of(p.order, static_cast<int>(blockIdx.x))),
        head_(tile::head_of(p.order, at_.pair)),
        batch_(tile::batch_of(p.order, at_.pair)),
        first_row_(at_.row_block * kConfig.tile_m),
        shared_(shared),
        lane_row_(tile::lane_of_rows(shared, lane_)),
        lane_key_(tile::lane_of_keys(shared, lane_)) {}

  __device__ __forceinline__ void run() {
    const std::int64_t end_row =
        min(std::int64_t{first_row_} + kConfig.tile_m, std::int64_t{p_.seqlen_q});
    const int visible_to_last = visible_keys(p_, end_row - 1);
    if (visible_to_last > 0) {
      const int last_block = (visible_to_last - 1) / kConfig.tile_n;
      const int whole_blocks = visible_keys(p_, first_row_) / kConfig.tile_n;
      load_first(last_block);
      int block = last_block;
      for (; block >= whole_blocks; --block) visit_block<true>(block);
      for (; block >= 0; --block) visit_block<false>(block);
    }
    store();
  }

 private:
  static constexpr Config kConfig = Instance::kConfig;
  static constexpr ptx::Element kElement = Instance::kElement;
  static constexpr int kSlabs = kConfig.tile_m / (kMmaM * kConfig.warps);
  static constexpr int kScores = kConfig.tile_n / 2;     // accumulator registers of S, per slab
  static constexpr int kOutputs = kConfig.head_dim / 2;  // of O, per slab
  static constexpr int kQOffset = offsetof(SharedStorage<Instance>, q);
  static constexpr int kKOffset = offsetof(SharedStorage<Instance>, k);
  static constexpr int kVOffset = offsetof(SharedStorage<Instance>, v);
  static constexpr int kStageBytes = kConfig.tile_n * kConfig.head_dim * 2;
  static constexpr bool kLoadsAhead = kConfig.stages == 2;

  /// Starts the copies of Q and of the first K block visited, and of its V if there is room for
  /// another block's.
  __device__ __forceinline__ void load_first(int last_block) {
    const std::int64_t first_key = std::int64_t{last_block} * kConfig.tile_n;
    const int kv_head = p_.heads_per_kv_head.quotient(head_);
    const AttentionTensors& t = p_.tensors;
    k_ = chunk_of(t.k, t.k_strides, kv_head) + first_key * t.k_strides.seq;
    v_ = chunk_of(t.v, t.v_strides, kv_head) + first_key * t.v_strides.seq;
    copy_rows<Instance, true, kConfig.tile_m>(
        shared_ + kQOffset, chunk_of(t.q, t.q_strides, head_) + first_row_ * t.q_strides.seq,
        t.q_strides.seq, p_.seqlen_q - first_row_);
    load_k<true>(stage_, p_.seqlen_kv - first_key);
    if constexpr (kLoadsAhead) load_v<true>(stage_, p_.seqlen_kv - first_key);
  }

  /// One turn of the serial loop. kIsMasked: some row does not see all keys of the block.
  template <bool kIsMasked>
  __device__ __forceinline__ void visit_block(int block) {
    const int first_key = block * kConfig.tile_n;
    float scores[kSlabs][kScores] = {};
    // K of this block has arrived, and every warp is done with the block before; with two buffers V
    // has arrived, too.
    wait_for_copies();
    if constexpr (kLoadsAhead) {
      if (block > 0) {
        load_k<false>(stage_ ^ kStageBytes, kConfig.tile_n);
        load_v<false>(stage_ ^ kStageBytes, kConfig.tile_n);
      }
    } else {
      load_v<kIsMasked>(stage_, p_.seqlen_kv - first_key);
    }

    multiply_scores(scores);
    float rescale[kSlabs][tile::kRowsPerThread];
    FA3PROF_UNROLL
    for (int slab = 0; slab < kSlabs; ++slab) {
      if constexpr (kIsMasked) mask(slab, first_key, scores[slab]);
      softmax_[slab].raise_maximum(scores[slab], p_.scale_log2, rescale[slab]);
    }

    if constexpr (!kLoadsAhead) {
      // V has arrived, and every warp is done with K.
      wait_for_copies();
      if (block > 0) load_k<false>(stage_, kConfig.tile_n);
    }
    if constexpr (kConfig.rescales_on_demand) rescale_if_moved(rescale);
    accumulate_output(scores, rescale);
    if constexpr (kLoadsAhead) stage_ ^= kStageBytes;
  }

  __device__ __forceinline__ void wait_for_copies() const {
    ptx::cp_async_wait_all();
    __syncthreads();
  }

  /// Starts the copy of a block of K, of which `keys` exist, to the buffer at `stage`, and moves on
  /// to the one before it.
  template <bool kMayEnd>
  __device__ __forceinline__ void load_k(std::uint32_t stage, std::int64_t keys) {
    const std::int64_t stride = p_.tensors.k_strides.seq;
    copy_rows<Instance, kMayEnd, kConfig.tile_n>(shared_ + kKOffset + stage, k_, stride,
                                                 static_cast<int>(keys));
    k_ -= kConfig.tile_n * stride;
  }

  /// The same of V.
  template <bool kMayEnd>
  __device__ __forceinline__ void load_v(std::uint32_t stage, std::int64_t keys) {
    const std::int64_t stride = p_.tensors.v_strides.seq;
    copy_rows<Instance, kMayEnd, kConfig.tile_n>(shared_ + kVOffset + stage, v_, stride,
                                                 static_cast<int>(keys));
    v_ -= kConfig.tile_n * stride;
  }

  /// S += Q K^T. ptxas moves the loads of a step between the mma of the step before.
  __device__ __forceinline__ void multiply_scores(float (&scores)[kSlabs][kScores]) const {
    FA3PROF_UNROLL
    for (int column = 0; column < kConfig.head_dim; column += kMmaK) {
      std::uint32_t q[kSlabs][4];
      std::uint32_t k[kConfig.tile_n / 16][4];
      FA3PROF_UNROLL
      for (int slab = 0; slab < kSlabs; ++slab) {
        const int row = (slab * kConfig.warps + warp_) * kMmaM;
        ptx::ldmatrix_x4(q[slab], kQOffset + tile::address<kConfig.tile_m>(lane_row_, row, column));
      }
      FA3PROF_UNROLL
      for (int key = 0; key < kConfig.tile_n; key += 16) {
        ptx::ldmatrix_x4(k[key / 16],
                         kKOffset + tile::address<kConfig.tile_n>(lane_key_ + stage_, key, column));
      }
      FA3PROF_UNROLL
      for (int key = 0; key < kConfig.tile_n; key += 16) {
        multiply(scores, key / 2, q, k[key / 16]);
      }
    }
  }

  /// The accumulators of 16 columns, from register `first` of each slab on, += A of each slab times
  /// one B fragment of 16 x 16. There and back over the slabs: neighbours share A or B, which saves
  /// reading it from the registers again.
  template <int kCount>
  static __device__ __forceinline__ void multiply(float (&d)[kSlabs][kCount], int first,
                                                  const std::uint32_t (&a)[kSlabs][4],
                                                  const std::uint32_t (&b)[4]) {
    FA3PROF_UNROLL
    for (int slab = 0; slab < kSlabs; ++slab) {
      ptx::mma_m16n8k16<kElement>(&d[slab][first], a[slab], b[0], b[1]);
    }
    FA3PROF_UNROLL
    for (int slab = kSlabs - 1; slab >= 0; --slab) {
      ptx::mma_m16n8k16<kElement>(&d[slab][first + 4], a[slab], b[2], b[3]);
    }
  }

  __device__ __forceinline__ void mask(int slab, int first_key, float (&scores)[kScores]) const {
    const int visible[tile::kRowsPerThread] = {visible_keys(p_, row_of(slab, 0)),
                                               visible_keys(p_, row_of(slab, 1))};
    tile::mask_scores(scores, first_key, visible);
  }

  /// O = O * rescale + P V, or O += P V after rescale_if_moved, with P = exp(S - maximum) made 16
  /// keys at a time. ptxas moves the
  /// exponentials of a step between the mma of the step before.
  __device__ __forceinline__ void accumulate_output(
      const float (&scores)[kSlabs][kScores],
      const float (&rescale)[kSlabs][tile::kRowsPerThread]) {
    FA3PROF_UNROLL
    for (int key = 0; key < kConfig.tile_n; key += kMmaK) {
      std::uint32_t p[kSlabs][4];
      FA3PROF_UNROLL
      for (int slab = 0; slab < kSlabs; ++slab) {
        softmax_[slab].template exponentiate<kElement>(&scores[slab][key / 2], p_.scale_log2,
                                                       p[slab]);
      }
      FA3PROF_UNROLL
      for (int column = 0; column < kConfig.head_dim; column += 16) {
        std::uint32_t v[4];
        ptx::ldmatrix_x4_trans(
            v, kVOffset + tile::address<kConfig.tile_n>(lane_row_ + stage_, key, column));
        if (!kConfig.rescales_on_demand && key == 0) rescale_columns(column, rescale);
        multiply(output_, column / 2, p, v);
      }
    }
  }

  /// Brings O to the new row maxima, unless no row of the warp has one.
  __device__ __forceinline__ void rescale_if_moved(
      const float (&rescale)[kSlabs][tile::kRowsPerThread]) {
    bool has_moved = false;
    FA3PROF_UNROLL
    for (int slab = 0; slab < kSlabs; ++slab) {
      has_moved = has_moved || rescale[slab][0] != 1.0F || rescale[slab][1] != 1.0F;
    }
    if (!__any_sync(0xffffffffU, has_moved)) return;
    FA3PROF_UNROLL
    for (int column = 0; column < kConfig.head_dim; column += 16) rescale_columns(column, rescale);
  }

  /// Brings 16 columns of O to the new row maxima.
  __device__ __forceinline__ void rescale_columns(
      int column, const float (&rescale)[kSlabs][tile::kRowsPerThread]) {
    FA3PROF_UNROLL
    for (int slab = 0; slab < kSlabs; ++slab) {
      FA3PROF_UNROLL
      for (int i = 0; i < 8; ++i) output_[slab][column / 2 + i] *= rescale[slab][tile::row_of(i)];
    }
  }

  /// Normalises and writes the rows that exist.
  __device__ __forceinline__ void store() {
    const Strides& strides = p_.tensors.o_strides;
    Bits* const o =
        static_cast<Bits*>(p_.tensors.o) + batch_ * strides.batch + head_ * strides.head;
    float* const lse = p_.tensors.lse + std::int64_t{at_.pair} * p_.seqlen_q;
    FA3PROF_UNROLL
    for (int slab = 0; slab < kSlabs; ++slab) {
      softmax_[slab].finish_sums();
      FA3PROF_UNROLL
      for (int r = 0; r < tile::kRowsPerThread; ++r) {
        const std::int64_t row = row_of(slab, r);
        const bool exists = row < p_.seqlen_q;
        tile::store_row<kElement>(output_[slab], r, softmax_[slab].normalizer(r),
                                  o + row * strides.seq, exists);
        if (exists && lane_ % 4 == 0) lse[row] = softmax_[slab].log_sum_exp(r);
      }
    }
  }

  /// Row r (0 or 1) of this thread in `slab`, within the sequence.
  [[nodiscard]] __device__ __forceinline__ std::int64_t row_of(int slab, int r) const {
    return std::int64_t{first_row_} + (slab * kConfig.warps + warp_) * kMmaM + lane_ / 4 + 8 * r;
  }

  /// This thread's first chunk of a [seqlen, d] slice: thread t copies chunk t % 8 of row t / 8.
  [[nodiscard]] __device__ __forceinline__ Source chunk_of(const void* base, const Strides& strides,
                                                           int head) const {
    const int thread = static_cast<int>(threadIdx.x);
    return static_cast<const Bits*>(base) + batch_ * strides.batch + head * strides.head +
           thread / 8 * strides.seq + thread % 8 * kChunkElements;
  }

  const Parameters& p_;
  const int lane_ = static_cast<int>(threadIdx.x) % 32;
  // The shuffle tells the compiler that the number is the same for the whole warp.
  const int warp_ = __shfl_sync(0xffffffffU, static_cast<int>(threadIdx.x) / 32, 0);
  const tile::TilePosition at_;
  const int head_;
  const int batch_;
  const int first_row_;
  const std::uint32_t shared_;
  // This lane's ldmatrix addresses of 16 x 16 elements at (0, 0): for Q and V, and for K.
  const std::uint32_t lane_row_;
  const std::uint32_t lane_key_;
  std::uint32_t stage_ = 0;  ///< bytes from the first buffers to those of this block
  Source k_ = nullptr;       ///< this thread's first chunk of the K block to load
  Source v_ = nullptr;       ///< the same of V
  SlabSoftmax softmax_[kSlabs];
  float output_[kSlabs][kOutputs] = {};
};

}  // namespace fa3prof::kernels::fa2
