// A consumer warpgroup of the FA3-style kernel: both GEMMs, the softmax between them, the epilogue.
#pragma once

#include "kernels/fa3/consumer_loop.cuh"
#include "kernels/fa3_fp16/inputs.cuh"
#include "kernels/fa3_fp16/own_rows.cuh"
#include "kernels/fa3_fp16/storage.cuh"
#include "kernels/ptx/pin_registers.cuh"
#include "kernels/ptx/warpgroup.cuh"
#include "kernels/ptx/wgmma.cuh"
#include "kernels/tile/softmax_rows.cuh"

#include <cstdint>
#include <type_traits>

namespace fa3prof::kernels::fa3_fp16 {

template <typename Instance>
using Inputs = std::conditional_t<Instance::kConfig.specializes_warps, ReceivedInputs<Instance>,
                                  OwnInputs<Instance>>;

template <typename Instance>
class Consumer
    : public fa3::ConsumerLoop<Consumer<Instance>, Instance, OwnRows<Instance>, Inputs<Instance>> {
  using Base = fa3::ConsumerLoop<Consumer<Instance>, Instance, OwnRows<Instance>, Inputs<Instance>>;
  friend Base;

 public:
  __device__ __forceinline__ Consumer(SharedStorage<Instance>& shared, const Parameters& p,
                                      const TensorMaps& maps, int warpgroup)
      : Base(p, warpgroup, OwnRows<Instance>(p, warpgroup),
             Inputs<Instance>(shared, p, maps, warpgroup)),
        q_(ptx::shared_matrix(shared.q[warpgroup], 0)),
        k_(ptx::shared_matrix(shared.k, 0)),
        v_(ptx::shared_matrix(shared.v, kConfig.tile_n * 128)) {}

 private:
  using Base::block_;
  using Base::inputs_;
  using Base::kConfig;
  using Base::p_;
  using Base::rows_;
  using Base::stamps_;
  using Base::work_;
  using Softmax = typename OwnRows<Instance>::Softmax;
  static constexpr int kScores = OwnRows<Instance>::kScores;
  static constexpr int kOutputs = OwnRows<Instance>::kOutputs;
  static constexpr int kQBlockBytes = kWarpgroupRows * 128;
  static constexpr int kKvBlockBytes = kConfig.tile_n * 128;
  static constexpr int kAhead = kConfig.scores_ahead;
  static constexpr int kStageBytes = kConfig.tile_n * kConfig.head_dim * 2;
  /// The compiler moves these exponentials before the wait for P V by itself, but not across the
  /// reading of a clock.
  static constexpr bool kBeginsEarly =
      fa3::kIsTraced<Instance> && kConfig.overlaps && !kConfig.keeps_maximum;

  /// Scores and softmax of the very first block.
  __device__ __forceinline__ void begin() {
    block_ = rows_.key_blocks(work_) - 1;
    first_masked_ = rows_.first_masked_block(work_);
    const int skipped = this->skip_k(work_);
    inputs_.wait_for_q();
    this->await_keys();
    this->start_scores();
    ptx::wgmma_wait_group<0>();
    this->finish_scores(block_, scores_);
    if (block_ >= first_masked_) rows_.mask(work_, block_, scores_);
    float ahead[kAhead];
    softmax_.start(scores_, p_.scale_log2, ahead);
    float unused[tile::kRowsPerThread] = {1.0F, 1.0F};
    finish_probabilities<false>(ahead, unused);
    this->skip_v(skipped);
  }

  /// O += P V of the current block, and scores and softmax of the one that follows: the next block
  /// of this tile (last to first) or the first of the next tile. False after the last.
  __device__ __forceinline__ bool step() {
    const bool crosses = block_ == 0;
    Work next = work_;
    int block = block_ - 1;
    int skipped = 0;
    if (crosses) {
      next = this->next_work(inputs_.next_tile());
      if (next.key_blocks == 0) {
        end();
        return false;
      }
      block = rows_.key_blocks(next) - 1;
      skipped = this->skip_k(next);
      inputs_.wait_for_q();
    }
    this->await_keys();
    this->issue_both();
    this->finish_scores(block, scores_);

    const Softmax finished = softmax_;
    if (crosses) {
      softmax_ = {};
      first_masked_ = rows_.first_masked_block(next);
    }
    if (block >= first_masked_) rows_.mask(next, block, scores_);
    float ahead[kAhead];
    float rescale[tile::kRowsPerThread];
    bool rescales = softmax_.advance(scores_, p_.scale_log2, ahead, rescale);
    if constexpr (kBeginsEarly) {
      softmax_.template begin_exponentials<kAhead>(scores_, p_.scale_log2);
    }
    this->finish_output(output_);
    rescales = finish_probabilities<kBeginsEarly>(ahead, rescale) || rescales;
    if (crosses) {
      this->skip_v(skipped);
      rows_.store(work_, finished, output_);
      stamps_.stamp(core::Stage::kTileStored);
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
    this->issue_last_output();
    this->finish_last_output(output_);
    rows_.store(work_, softmax_, output_);
    stamps_.stamp(core::Stage::kTileStored);
  }

  /// The rest of the softmax: true where it leaves a factor for earlier outputs in `rescale`. P V,
  /// which reads the probabilities, has been waited for.
  template <bool kHasBegun>
  __device__ __forceinline__ bool finish_probabilities(const float (&ahead)[kAhead],
                                                       float (&rescale)[tile::kRowsPerThread]) {
    bool rescales = false;
    if constexpr (kConfig.keeps_maximum) {
      rescales = softmax_.exponentiate(scores_, p_.scale_log2, ahead, rescale);
    } else if constexpr (kHasBegun) {
      softmax_.finish_exponentials(scores_, ahead);
    } else {
      softmax_.exponentiate(scores_, p_.scale_log2, ahead);
    }
    tile::pack<Instance::kElement>(scores_, probabilities_);
    ptx::pin_registers(probabilities_);  // not to be put off until their use, beyond the epilogue
    stamps_.stamp(core::Stage::kSoftmaxDone);
    return rescales;
  }

  /// S = Q K^T of the current K stage, as one batch of WGMMAs.
  __device__ __forceinline__ void issue_scores() {
    const ptx::SharedMatrix k = k_.advanced(inputs_.k_stage() * kStageBytes);
    ptx::pin_registers(scores_);
    ptx::wgmma_fence();
    FA3PROF_UNROLL
    for (int column = 0; column < kConfig.head_dim; column += kMmaK) {
      const int block = column / kSwizzleColumns;
      const int inside_bytes = column % kSwizzleColumns * 2;
      ptx::Wgmma<kConfig.tile_n, Instance::kElement>::ss(
          scores_, q_.advanced(block * kQBlockBytes + inside_bytes),
          k.advanced(block * kKvBlockBytes + inside_bytes), column != 0);
    }
    ptx::wgmma_commit_group();
  }

  /// O += P V of the current V stage, as one batch of WGMMAs.
  __device__ __forceinline__ void issue_output() {
    const ptx::SharedMatrix v = v_.advanced(inputs_.v_stage() * kStageBytes);
    ptx::pin_registers(output_);
    ptx::wgmma_fence();
    FA3PROF_UNROLL
    for (int key = 0; key < kConfig.tile_n; key += kMmaK) {
      ptx::Wgmma<kConfig.head_dim, Instance::kElement>::rs(output_, &probabilities_[key / 4],
                                                           v.advanced(key * 128), true);
      // While the tensor core is busy with the first instruction, writing costs nothing.
      if (key == 0) stamps_.write();
    }
    ptx::wgmma_commit_group();
  }

  ptx::SharedMatrix q_;
  ptx::SharedMatrix k_;
  ptx::SharedMatrix v_;
  int first_masked_ = 0;  ///< first block of work_ that needs a mask
  Softmax softmax_;
  float scores_[kScores];
  std::uint32_t probabilities_[kScores / 2];
  float output_[kOutputs] = {};
};

}  // namespace fa3prof::kernels::fa3_fp16
