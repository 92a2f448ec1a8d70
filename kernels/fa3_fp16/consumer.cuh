// A consumer warpgroup of the FA3-style kernel: both GEMMs, the softmax between them, the epilogue.
#pragma once

#include "kernels/fa3_fp16/own_rows.cuh"
#include "kernels/fa3_fp16/storage.cuh"
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/ptx/pin_registers.cuh"
#include "kernels/ptx/warpgroup.cuh"
#include "kernels/ptx/wgmma.cuh"
#include "kernels/tile/online_softmax.cuh"
#include "kernels/tile/ring.cuh"

#include <cstdint>

namespace fa3prof::kernels::fa3_fp16 {

/// One consumer warpgroup: its 64 rows of each tile. Tiles follow each other without a gap: the
/// first scores of the next tile are computed together with the last P V of this one.
template <typename Instance>
class Consumer {
 public:
  __device__ __forceinline__ Consumer(SharedStorage<Instance>& shared, const Parameters& p,
                                      int warpgroup)
      : shared_(shared),
        p_(p),
        warpgroup_(warpgroup),
        rows_(p, warpgroup),
        thread_(static_cast<int>(threadIdx.x) % kWarpgroupThreads),
        q_(ptx::shared_matrix(shared.q[warpgroup], 0)),
        k_(ptx::shared_matrix(shared.k, 0)),
        v_(ptx::shared_matrix(shared.v, Instance::kConfig.tile_n * 128)) {}

  __device__ __forceinline__ void run() {
    // The first consumer may issue its GEMMs at once: its last predecessor gives it the turn.
    if (warpgroup_ == Instance::kConfig.consumer_warpgroups - 1) give_turn();
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
  static constexpr int kScores = OwnRows<Instance>::kScores;
  static constexpr int kOutputs = OwnRows<Instance>::kOutputs;
  static constexpr int kQBlockBytes = kWarpgroupRows * 128;
  static constexpr int kKvBlockBytes = Instance::kConfig.tile_n * 128;
  static constexpr int kAhead = Instance::kConfig.scores_ahead;
  static constexpr int kStageBytes = Instance::kConfig.tile_n * Instance::kConfig.head_dim * 2;

  /// The first tile from number `tile_index` on that sees any key, or none (key_blocks = 0) after
  /// the last; tiles on the way that see no key are written at once.
  __device__ __forceinline__ Work next_work(int tile_index) {
    while (tile_index < p_.order.tiles) {
      const Work work = work_of<Instance>(p_, tile_index);
      if (!Instance::kIsCausal || work.key_blocks > 0) return work;
      rows_.store_empty(work);
      tile_index = receive_tile();
    }
    return {};
  }

  /// The tile number that the producer drew.
  __device__ __forceinline__ int receive_tile() {
    ptx::mbarrier_wait(&shared_.tile_full, tile_parity_);
    tile_parity_ ^= 1U;
    // The shuffle tells the compiler that the number is the same for the whole warp.
    const int tile_index = __shfl_sync(0xffffffffU, shared_.next_tile, 0);
    if (thread_ % 32 == 0) ptx::mbarrier_arrive(&shared_.tile_empty);
    return tile_index;
  }

  /// Scores and softmax of the very first block.
  __device__ __forceinline__ void begin() {
    block_ = rows_.key_blocks(work_) - 1;
    first_masked_ = rows_.first_masked_block(work_);
    const int skipped = skip_k(work_);
    wait_for_q();
    wait_for_k();
    issue_scores();
    ptx::wgmma_wait_group<0>();
    finish_scores(block_);
    if (block_ >= first_masked_) rows_.mask(work_, block_, scores_);
    float ahead[kAhead];
    softmax_.start(scores_, p_.scale_log2, ahead);
    finish_probabilities(ahead);
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
      next = next_work(receive_tile());
      if (next.key_blocks == 0) {
        end();
        return false;
      }
      block = rows_.key_blocks(next) - 1;
      skipped = skip_k(next);
      wait_for_q();
    }
    wait_for_k();
    issue_both();
    finish_scores(block);

    const tile::OnlineSoftmax finished = softmax_;
    if (crosses) {
      softmax_ = {};
      first_masked_ = rows_.first_masked_block(next);
    }
    if (block >= first_masked_) rows_.mask(next, block, scores_);
    float ahead[kAhead];
    float rescale[tile::kRowsPerThread];
    const bool rescales = softmax_.advance(scores_, p_.scale_log2, ahead, rescale);
    finish_output();
    finish_probabilities(ahead);
    if (crosses) {
      skip_v(skipped);
      rows_.store(work_, finished, output_);
      FA3PROF_UNROLL
      for (float& output : output_) output = 0.0F;
    } else if (rescales) {
      tile::rescale_rows(output_, rescale);
    }
    work_ = next;
    block_ = block;
    return true;
  }

  /// The last P V of the last tile.
  __device__ __forceinline__ void end() {
    take_turn();
    wait_for_v();
    issue_output();
    give_turn();
    finish_output();
    rows_.store(work_, softmax_, output_);
  }

  /// The rest of the softmax. P V, which reads the probabilities, has been waited for.
  __device__ __forceinline__ void finish_probabilities(const float (&ahead)[kAhead]) {
    softmax_.exponentiate(scores_, p_.scale_log2, ahead);
    tile::pack<Instance::kElement>(scores_, probabilities_);
    ptx::pin_registers(probabilities_);  // not to be put off until their use, beyond the epilogue
  }

  /// Both GEMMs of a step, in this warpgroup's turn. K has been waited for.
  __device__ __forceinline__ void issue_both() {
    take_turn();
    issue_scores();
    wait_for_v();
    issue_output();
    give_turn();
  }

  /// Waits for the scores of `block`, the older of two batches; K, and after block 0 Q, are free.
  __device__ __forceinline__ void finish_scores(int block) {
    ptx::wgmma_wait_group<1>();
    ptx::pin_registers(scores_);
    release_k();
    if (block == 0) release(shared_.q_empty[warpgroup_]);
  }

  /// Waits for P V; V is free.
  __device__ __forceinline__ void finish_output() {
    ptx::wgmma_wait_group<0>();
    ptx::pin_registers(output_);
    release_v();
  }

  /// S = Q K^T of the current K stage, as one batch of WGMMAs.
  __device__ __forceinline__ void issue_scores() {
    const ptx::SharedMatrix k = k_.advanced(k_at_.stage * kStageBytes);
    ptx::pin_registers(scores_);
    ptx::wgmma_fence();
    FA3PROF_UNROLL
    for (int column = 0; column < Instance::kConfig.head_dim; column += kMmaK) {
      const int block = column / kSwizzleColumns;
      const int inside_bytes = column % kSwizzleColumns * 2;
      ptx::Wgmma<Instance::kConfig.tile_n, Instance::kElement>::ss(
          scores_, q_.advanced(block * kQBlockBytes + inside_bytes),
          k.advanced(block * kKvBlockBytes + inside_bytes), column != 0);
    }
    ptx::wgmma_commit_group();
  }

  /// O += P V of the current V stage, as one batch of WGMMAs.
  __device__ __forceinline__ void issue_output() {
    const ptx::SharedMatrix v = v_.advanced(v_at_.stage * kStageBytes);
    ptx::pin_registers(output_);
    ptx::wgmma_fence();
    FA3PROF_UNROLL
    for (int key = 0; key < Instance::kConfig.tile_n; key += kMmaK) {
      ptx::Wgmma<Instance::kConfig.head_dim, Instance::kElement>::rs(
          output_, &probabilities_[key / 4], v.advanced(key * 128), true);
    }
    ptx::wgmma_commit_group();
  }

  /// Passes by the tile's first key blocks that only other warpgroups see, in K and in turns, so
  /// that all stay in step. Returns their number, which skip_v needs when V is due.
  __device__ __forceinline__ int skip_k(const Work& work) {
    const int skipped = work.key_blocks - rows_.key_blocks(work);
    for (int i = 0; i < skipped; ++i) {
      take_turn();
      give_turn();
      wait_for_k();
      release_k();
    }
    return skipped;
  }

  __device__ __forceinline__ void skip_v(int skipped) {
    for (int i = 0; i < skipped; ++i) {
      wait_for_v();
      release_v();
    }
  }

  __device__ __forceinline__ void wait_for_q() {
    ptx::mbarrier_wait(&shared_.q_full[warpgroup_], q_parity_);
    q_parity_ ^= 1U;
  }

  __device__ __forceinline__ void wait_for_k() {
    ptx::mbarrier_wait(&shared_.k_full[k_at_.stage], k_at_.parity);
  }

  __device__ __forceinline__ void wait_for_v() {
    ptx::mbarrier_wait(&shared_.v_full[v_at_.stage], v_at_.parity);
  }

  __device__ __forceinline__ void release_k() {
    release(shared_.k_empty[k_at_.stage]);
    k_at_.advance();
  }

  __device__ __forceinline__ void release_v() {
    release(shared_.v_empty[v_at_.stage]);
    v_at_.advance();
  }

  /// One arrival for the whole warpgroup: its WGMMAs have been waited for, so all have read.
  __device__ __forceinline__ void release(std::uint64_t& barrier) {
    if (thread_ == 0) ptx::mbarrier_arrive(&barrier);
  }

  __device__ __forceinline__ void take_turn() const {
    if constexpr (!Instance::kConfig.takes_turns) return;
    ptx::bar_sync(turn_of(warpgroup_), 2 * kWarpgroupThreads);
  }

  /// Passed on after issue, not completion: WGMMAs queue in the order of issue.
  __device__ __forceinline__ void give_turn() const {
    if constexpr (!Instance::kConfig.takes_turns) return;
    const int next = warpgroup_ + 1 == Instance::kConfig.consumer_warpgroups ? 0 : warpgroup_ + 1;
    ptx::bar_arrive(turn_of(next), 2 * kWarpgroupThreads);
  }

  static __device__ __forceinline__ int turn_of(int warpgroup) {
    return static_cast<int>(NamedBarrier::kTurnOfFirstConsumer) + warpgroup;
  }

  SharedStorage<Instance>& shared_;
  const Parameters& p_;
  int warpgroup_;
  OwnRows<Instance> rows_;
  int thread_;
  ptx::SharedMatrix q_;
  ptx::SharedMatrix k_;
  ptx::SharedMatrix v_;
  tile::RingPosition<Instance::kConfig.stages> k_at_;
  tile::RingPosition<Instance::kConfig.stages> v_at_;
  unsigned q_parity_ = 0;
  unsigned tile_parity_ = 0;
  Work work_ = {};
  int block_ = 0;         ///< of work_, whose P V comes next
  int first_masked_ = 0;  ///< first block of work_ that needs a mask
  tile::OnlineSoftmax softmax_;
  float scores_[kScores];
  std::uint32_t probabilities_[kScores / 2];
  float output_[kOutputs] = {};
};

}  // namespace fa3prof::kernels::fa3_fp16
