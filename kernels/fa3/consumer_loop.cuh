// What the consumer warpgroups of the FA3-style kernels do alike: from tile to tile, in turns, past
// the key blocks that only others see. Not: the arithmetic.
#pragma once

#include "kernels/fa3/stage_trace.cuh"
#include "kernels/fa3/tile_work.cuh"
#include "kernels/ptx/pin_registers.cuh"
#include "kernels/ptx/warpgroup.cuh"
#include "kernels/ptx/wgmma.cuh"

namespace fa3prof::kernels::fa3 {

/// One consumer warpgroup: its 64 rows of each tile. Tiles follow each other without a gap: the
/// first scores of the next tile are computed together with the last P V of this one. `Derived` is
/// the kernel's Consumer. Its begin() computes scores and softmax of the very first block; its
/// step() adds P V of the current block, computes scores and softmax of the one that follows, and
/// returns false after the last; issue_scores() and issue_output() start one GEMM each.
template <typename Derived, typename Instance, typename Rows, typename Inputs>
class ConsumerLoop {
 public:
  /// Stamps go to `rings`.
  __device__ __forceinline__ void run(Rings<Instance> rings) {
    stamps_.start(rings, warpgroup_ + 1);
    // The first consumer may issue its GEMMs at once: its last predecessor gives it the turn.
    if (warpgroup_ == kConfig.consumer_warpgroups - 1) give_turn();
    inputs_.start();
    work_ = next_work(static_cast<int>(blockIdx.x));
    if (work_.key_blocks > 0) {
      derived().begin();
      while (derived().step()) {
      }
    }
    // The turn that no GEMM follows is taken all the same, so that no barrier is left half full.
    if (warpgroup_ == 0) take_turn();
    stamps_.write();
    stamps_.finish(warpgroup_ + 1);
  }

 protected:
  using Stage = core::Stage;
  static constexpr auto kConfig = Instance::kConfig;

  __device__ __forceinline__ ConsumerLoop(const Parameters& p, int warpgroup, const Rows& rows,
                                          const Inputs& inputs)
      : p_(p), warpgroup_(warpgroup), rows_(rows), inputs_(inputs) {}

  /// The first tile from number `tile_index` on that sees any key, or none (key_blocks = 0) after
  /// the last; tiles on the way that see no key are written at once.
  __device__ __forceinline__ Work next_work(int tile_index) {
    while (tile_index < p_.order.tiles) {
      const Work work = work_of<Instance>(p_, tile_index);
      if (!Instance::kIsCausal || work.key_blocks > 0) {
        stamps_.begin_tile(tile_index);
        return work;
      }
      rows_.store_empty(work);
      tile_index = inputs_.next_tile();
    }
    return {};
  }

  /// Both GEMMs of a step, in this warpgroup's turn. K has been waited for.
  __device__ __forceinline__ void issue_both() {
    take_turn();
    stamps_.stamp(Stage::kTurnTaken);
    if constexpr (kConfig.overlaps) {
      derived().issue_scores();
      stamps_.stamp(Stage::kFirstIssued);
      start_output();
    } else {
      start_output();
      stamps_.stamp(Stage::kFirstIssued);
      derived().issue_scores();
    }
    give_turn();
    stamps_.stamp(Stage::kTurnGiven);
  }

  /// P V of the last block, after which no scores come.
  __device__ __forceinline__ void issue_last_output() {
    take_turn();
    stamps_.stamp(Stage::kTurnTaken);
    start_output();
    stamps_.stamp(Stage::kFirstIssued);
    give_turn();
    stamps_.stamp(Stage::kTurnGiven);
  }

  /// K is due.
  __device__ __forceinline__ void await_keys() {
    stamps_.stamp(Stage::kKeysWait);
    inputs_.wait_for_k();
    stamps_.stamp_buffer(Stage::kKeysReady, inputs_.k_stage());
  }

  /// Scores of the very first block, with which no P V comes.
  __device__ __forceinline__ void start_scores() {
    derived().issue_scores();
    stamps_.stamp(Stage::kFirstIssued);
    stamps_.write();
  }

  /// Waits for the scores of `block`, where GEMMs and softmax overlap the older of two batches; K,
  /// and after block 0 Q, are free.
  template <int kScores>
  __device__ __forceinline__ void finish_scores(int block, float (&scores)[kScores]) {
    ptx::wgmma_wait_group<kConfig.overlaps ? 1 : 0>();
    ptx::pin_registers(scores);
    stamps_.stamp(Stage::kScoresDone);
    inputs_.release_k();
    if (block == 0) inputs_.release_q();
  }

  /// Waits for P V, which adds to `sums`; V is free. Without overlap it has been waited for with
  /// the scores.
  template <int kOutputs>
  __device__ __forceinline__ void finish_output(float (&sums)[kOutputs]) {
    if constexpr (kConfig.overlaps) stamps_.stamp(Stage::kOutputWait);
    ptx::wgmma_wait_group<0>();
    ptx::pin_registers(sums);
    if constexpr (kConfig.overlaps) {
      stamps_.stamp(Stage::kOutputDone);
    } else {
      stamps_.stamp_alike(Stage::kOutputDone, Stage::kScoresDone);
    }
    inputs_.release_v();
  }

  /// The same for the last block, with which no scores came.
  template <int kOutputs>
  __device__ __forceinline__ void finish_last_output(float (&sums)[kOutputs]) {
    finish_output(sums);
    if constexpr (!kConfig.overlaps) stamps_.stamp(Stage::kOutputDone);
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

 private:
  __device__ __forceinline__ void start_output() {
    inputs_.wait_for_v();
    stamps_.stamp_buffer(Stage::kValuesReady, inputs_.v_stage());
    derived().issue_output();
  }

  __device__ __forceinline__ Derived& derived() { return static_cast<Derived&>(*this); }

  /// A warp gives back a buffer for all four. WGMMAs keep them together; where there are none, a
  /// warp that came late would wait for a buffer that has been filled anew.
  __device__ __forceinline__ void gather_warps() const {
    ptx::bar_sync(static_cast<int>(NamedBarrier::kTogether) + warpgroup_, kWarpgroupThreads);
  }

  static __device__ __forceinline__ int turn_of(int warpgroup) {
    return static_cast<int>(NamedBarrier::kTurn) + warpgroup;
  }

 protected:
  const Parameters& p_;
  int warpgroup_;
  Rows rows_;
  Inputs inputs_;
  Work work_ = {};
  int block_ = 0;  ///< of work_, whose P V comes next
  [[no_unique_address]] StageStamps<Instance> stamps_;
};

}  // namespace fa3prof::kernels::fa3
