// A consumer warpgroup of the FA3-style kernel for e4m3: both GEMMs, the softmax between them, the
// epilogue.
#pragma once

#include "kernels/fa3_fp8/inputs.cuh"
#include "kernels/fa3_fp8/own_rows.cuh"
#include "kernels/fa3_fp8/softmax.cuh"
#include "kernels/fa3_fp8/storage.cuh"
#include "kernels/ptx/pin_registers.cuh"
#include "kernels/ptx/warpgroup.cuh"
#include "kernels/ptx/wgmma_fp8.cuh"

#include <cstdint>

namespace fa3prof::kernels::fa3_fp8 {

/// One consumer warpgroup: its 64 rows of each tile. Tiles follow each other without a gap: the
/// first scores of the next tile are computed together with the last P V of this one.
template <typename Instance>
class Consumer {
 public:
  __device__ __forceinline__ Consumer(SharedStorage<Instance>& shared, const Parameters& p,
                                      int warpgroup)
      : p_(p),
        warpgroup_(warpgroup),
        rows_(p, warpgroup),
        inputs_(shared, warpgroup),
        q_(ptx::k_major_matrix<kWidth>(shared.q[warpgroup], 8 * kConfig.head_dim)),
        k_(ptx::k_major_matrix<kWidth>(shared.k, 8 * kConfig.head_dim)),
        v_(ptx::k_major_matrix<kSlab>(shared.v, 8 * kSlab)) {}

  __device__ __forceinline__ void run() {
    // The first consumer may issue its GEMMs at once: its last predecessor gives it the turn.
    if (warpgroup_ == kConfig.consumer_warpgroups - 1) give_turn();
    work_ = next_work(static_cast<int>(blockIdx.x));
    if (work_.key_blocks > 0) {
      begin();
      while (step()) {
      }
    }
    // The turn that no GEMM follows is taken all the same, so that no barrier is left half full.
    if (warpgroup_ == 0) take_turn();
  }

 private:
  static constexpr Config kConfig = Instance::kConfig;
  static constexpr int kScores = OwnRows<Instance>::kScores;
  static constexpr int kOutputs = OwnRows<Instance>::kOutputs;
  static constexpr int kWidth = quantize::swizzle_bytes(kConfig.head_dim);
  static constexpr int kSlab = kConfig.slab_keys();
  static constexpr int kAhead = kConfig.scores_ahead;
  static constexpr int kStageBytes = kConfig.tile_n * kConfig.head_dim;
  static constexpr bool kFlushes = kConfig.pv_flush_blocks > 0;

  /// The first tile from number `tile_index` on that sees any key, or none (key_blocks = 0) after
  /// the last; tiles on the way that see no key are written at once.
  __device__ __forceinline__ Work next_work(int tile_index) {
    while (tile_index < p_.order.tiles) {
      const Work work = work_of<Instance>(p_, tile_index);
      if (!Instance::kIsCausal || work.key_blocks > 0) return work;
      rows_.store_empty(work);
      tile_index = inputs_.next_tile();
    }
    return {};
  }

  /// Scores and softmax of the very first block.
  __device__ __forceinline__ void begin() {
    enter(work_);
    block_ = rows_.key_blocks(work_) - 1;
    const int skipped = skip_k(work_);
    const float2 key_scales = rows_.key_scales(kv_pair_, block_);
    inputs_.wait_for_q();
    inputs_.wait_for_k();
    issue_scores();
    ptx::wgmma_wait_group<0>();
    finish_scores(block_);
    if (block_ >= first_masked_) rows_.mask(work_, block_, scores_);
    const BlockScales scales{query_scale_ * key_scales.x, key_scales.y};
    float ahead[kAhead];
    float unused[tile::kRowsPerThread];
    softmax_.advance(scores_, scales, ahead, unused);
    softmax_.template exponentiate<kConfig.cubic_every>(scores_, scales, ahead);
    pack_probabilities();
    skip_v(skipped);
  }

  /// O += P V of the current block, and scores and softmax of the one that follows: the next block
  /// of this tile (last to first) or the first of the next tile. False after the last.
  __device__ __forceinline__ bool step() {
    const bool crosses = block_ == 0;
    Work next = work_;
    int block = block_ - 1;
    int skipped = 0;
    if (crosses) {
      next = next_work(inputs_.next_tile());
      if (next.key_blocks == 0) {
        end();
        return false;
      }
      block = rows_.key_blocks(next) - 1;
      enter(next);
      skipped = skip_k(next);
      inputs_.wait_for_q();
    }
    const float2 key_scales = rows_.key_scales(kv_pair_, block);  // in good time: from memory
    inputs_.wait_for_k();
    issue_both();
    finish_scores(block);

    const BlockSoftmax finished = softmax_;
    if (crosses) softmax_ = {};
    if (block >= first_masked_) rows_.mask(next, block, scores_);
    const BlockScales scales{query_scale_ * key_scales.x, key_scales.y};
    float ahead[kAhead];
    float rescale[tile::kRowsPerThread];
    const bool rescales = softmax_.advance(scores_, scales, ahead, rescale);
    if constexpr (kConfig.exponentiates_early) {
      softmax_.template exponentiate<kConfig.cubic_every>(scores_, scales, ahead);
      if (scales.score < 0.0F) __trap();
      finish_output();
    } else {
      finish_output();
      softmax_.template exponentiate<kConfig.cubic_every>(scores_, scales, ahead);
    }
    pack_probabilities();
    if (crosses) {
      skip_v(skipped);
      flush_output(true);
      rows_.store(work_, finished, output_);
      FA3PROF_UNROLL
      for (float& output : output_) output = 0.0F;
    } else {
      flush_output(false);
      if (rescales) rescale_output(rescale);
    }
    work_ = next;
    block_ = block;
    return true;
  }

  /// The last P V of the last tile.
  __device__ __forceinline__ void end() {
    take_turn();
    inputs_.wait_for_v();
    issue_output();
    give_turn();
    finish_output();
    flush_output(true);
    rows_.store(work_, softmax_, output_);
  }

  /// What stays the same for a tile.
  __device__ __forceinline__ void enter(const Work& work) {
    kv_pair_ = kv_pair_of(p_, work.pair);
    query_scale_ = rows_.query_scale(work);
    first_masked_ = rows_.first_masked_block(work);
  }

  /// P V, which reads the probabilities, has been waited for.
  __device__ __forceinline__ void pack_probabilities() {
    pack(scores_, probabilities_);
    ptx::pin_registers(probabilities_);  // not to be put off until their use, beyond the epilogue
  }

  /// Both GEMMs of a step, in this warpgroup's turn. K has been waited for.
  __device__ __forceinline__ void issue_both() {
    take_turn();
    if constexpr (kConfig.overlaps) {
      issue_scores();
      inputs_.wait_for_v();
      issue_output();
    } else {
      inputs_.wait_for_v();
      issue_output();
      issue_scores();
    }
    give_turn();
  }

  /// Waits for the scores of `block`, where GEMMs and softmax overlap the older of two batches; K,
  /// and after block 0 Q, are free.
  __device__ __forceinline__ void finish_scores(int block) {
    ptx::wgmma_wait_group<kConfig.overlaps ? 1 : 0>();
    ptx::pin_registers(scores_);
    inputs_.release_k();
    if (block == 0) inputs_.release_q();
  }

  /// Waits for P V; V is free.
  __device__ __forceinline__ void finish_output() {
    ptx::wgmma_wait_group<0>();
    ptx::pin_registers(accumulator());
    inputs_.release_v();
  }

  /// S = Q K^T of the current K stage, as one batch of WGMMAs.
  __device__ __forceinline__ void issue_scores() {
    const ptx::SharedMatrix k = k_.advanced(inputs_.k_stage() * kStageBytes);
    ptx::pin_registers(scores_);
    ptx::wgmma_fence();
    FA3PROF_UNROLL
    for (int column = 0; column < kConfig.head_dim; column += kMmaK) {
      const int bytes = column / kWidth * (8 * kWidth) + column % kWidth;
      ptx::WgmmaE4m3<kConfig.tile_n>::ss(scores_, q_.advanced(bytes), k.advanced(bytes),
                                         column != 0);
    }
    ptx::wgmma_commit_group();
  }

  /// P V of the current V stage is added to the accumulator, as one batch of WGMMAs.
  __device__ __forceinline__ void issue_output() {
    const ptx::SharedMatrix v = v_.advanced(inputs_.v_stage() * kStageBytes);
    ptx::pin_registers(accumulator());
    ptx::wgmma_fence();
    FA3PROF_UNROLL
    for (int key = 0; key < kConfig.tile_n; key += kMmaK) {
      const int bytes = key / kSlab * (kSlab * kConfig.head_dim) + key % kSlab;
      ptx::WgmmaE4m3<kConfig.head_dim>::rs(accumulator(), &probabilities_[key / 8],
                                           v.advanced(bytes), !kFlushes || key != 0 || holds_ > 0);
    }
    ptx::wgmma_commit_group();
    if constexpr (kConfig.pv_flush_blocks > 1) ++holds_;
  }

  /// What P V adds to: O itself, or the blocks since the last flush.
  __device__ __forceinline__ auto& accumulator() {
    if constexpr (kFlushes) {
      return recent_;
    } else {
      return output_;
    }
  }

  /// Adds the accumulator of P V to O in float32, when enough blocks have come together or `now`.
  /// WGMMA adds e4m3 products with 13 fraction bits only, so that long sums come out too small.
  __device__ __forceinline__ void flush_output(bool now) {
    if constexpr (kFlushes) {
      if (kConfig.pv_flush_blocks > 1 && !now && holds_ < kConfig.pv_flush_blocks) return;
      holds_ = 0;
      FA3PROF_UNROLL
      for (int i = 0; i < kOutputs; ++i) output_[i] += recent_[i];
    }
  }

  __device__ __forceinline__ void rescale_output(const float (&factor)[tile::kRowsPerThread]) {
    tile::rescale_rows(output_, factor);
    if constexpr (kConfig.pv_flush_blocks > 1) tile::rescale_rows(recent_, factor);
  }

  /// Passes by the tile's first key blocks that only other warpgroups see, in K and in turns, so
  /// that all stay in step. Returns their number, which skip_v needs when V is due.
  __device__ __forceinline__ int skip_k(const Work& work) {
    const int skipped = work.key_blocks - rows_.key_blocks(work);
    for (int i = 0; i < skipped; ++i) {
      take_turn();
      give_turn();
      inputs_.wait_for_k();
      gather_warps();
      inputs_.release_k();
    }
    return skipped;
  }

  __device__ __forceinline__ void skip_v(int skipped) {
    for (int i = 0; i < skipped; ++i) {
      inputs_.wait_for_v();
      gather_warps();
      inputs_.release_v();
    }
  }

  /// A warp gives back a buffer for all four. WGMMAs keep them together; where there are none, a
  /// warp that came late would wait for a buffer that has been filled anew.
  __device__ __forceinline__ void gather_warps() const {
    ptx::bar_sync(static_cast<int>(NamedBarrier::kTogether) + warpgroup_, kWarpgroupThreads);
  }

  __device__ __forceinline__ void take_turn() const {
    if constexpr (!kConfig.takes_turns) return;
    ptx::bar_sync(turn_of(warpgroup_), 2 * kWarpgroupThreads);
  }

  /// Passed on after issue, not completion: WGMMAs queue in the order of issue.
  __device__ __forceinline__ void give_turn() const {
    if constexpr (!kConfig.takes_turns) return;
    const int next = warpgroup_ + 1 == kConfig.consumer_warpgroups ? 0 : warpgroup_ + 1;
    ptx::bar_arrive(turn_of(next), 2 * kWarpgroupThreads);
  }

  static __device__ __forceinline__ int turn_of(int warpgroup) {
    return static_cast<int>(NamedBarrier::kTurn) + warpgroup;
  }

  const Parameters& p_;
  int warpgroup_;
  OwnRows<Instance> rows_;
  ReceivedInputs<Instance> inputs_;
  ptx::SharedMatrix q_;
  ptx::SharedMatrix k_;
  ptx::SharedMatrix v_;
  Work work_ = {};
  int block_ = 0;  ///< of work_, whose P V comes next
  // Of the tile whose scores come next.
  int kv_pair_ = 0;
  int first_masked_ = 0;  ///< first block that needs a mask
  float query_scale_ = 0.0F;
  BlockSoftmax softmax_;
  float scores_[kScores];
  std::uint32_t probabilities_[kScores / 4];
  float output_[kOutputs] = {};
  float recent_[kFlushes ? kOutputs : 1];  ///< P V since the last flush
  int holds_ = 0;                          ///< blocks in it
};

}  // namespace fa3prof::kernels::fa3_fp8
