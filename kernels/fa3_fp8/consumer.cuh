// A consumer warpgroup of the FA3-style kernel for e4m3: both GEMMs, the softmax between them, the
// epilogue.
#pragma once

#include "kernels/fa3/consumer_loop.cuh"
#include "kernels/fa3/inputs.cuh"
#include "kernels/fa3_fp8/own_rows.cuh"
#include "kernels/fa3_fp8/softmax.cuh"
#include "kernels/fa3_fp8/storage.cuh"
#include "kernels/ptx/pin_registers.cuh"
#include "kernels/ptx/warpgroup.cuh"
#include "kernels/ptx/wgmma_fp8.cuh"

#include <cstdint>
#include <type_traits>

namespace fa3prof::kernels::fa3_fp8 {

template <typename Instance>
using Inputs = fa3::ReceivedInputs<SharedStorage<Instance>>;

template <typename Instance>
class Consumer
    : public fa3::ConsumerLoop<Consumer<Instance>, Instance, OwnRows<Instance>, Inputs<Instance>> {
  using Base = fa3::ConsumerLoop<Consumer<Instance>, Instance, OwnRows<Instance>, Inputs<Instance>>;
  friend Base;

 public:
  __device__ __forceinline__ Consumer(SharedStorage<Instance>& shared, const Parameters& p,
                                      int warpgroup)
      : Base(p, warpgroup, OwnRows<Instance>(p, warpgroup), Inputs<Instance>(shared, warpgroup)),
        q_(ptx::k_major_matrix<kWidth>(shared.q[warpgroup], 8 * kConfig.head_dim)),
        k_(ptx::k_major_matrix<kWidth>(shared.k, 8 * kConfig.head_dim)),
        v_(ptx::k_major_matrix<kSlab>(shared.v, 8 * kSlab)) {}

 private:
  using Base::block_;
  using Base::inputs_;
  using Base::kConfig;
  using Base::rows_;
  using Base::stamps_;
  using Base::work_;
  static constexpr int kScores = OwnRows<Instance>::kScores;
  static constexpr int kOutputs = OwnRows<Instance>::kOutputs;
  static constexpr int kWidth = quantize::swizzle_bytes(kConfig.head_dim);
  static constexpr int kSlab = kConfig.slab_keys();
  static constexpr int kAhead = kConfig.scores_ahead;
  static constexpr int kKBytes = SharedStorage<Instance>::kKBytes;
  static constexpr int kVBytes = SharedStorage<Instance>::kVBytes;
  static constexpr bool kSumsInGemm = kConfig.sums_in_gemm;
  using Softmax = typename OwnRows<Instance>::Softmax;
  static constexpr bool kFlushes = kConfig.flushes;

  /// Scores and softmax of the very first block.
  __device__ __forceinline__ void begin() {
    enter(work_);
    block_ = rows_.key_blocks(work_) - 1;
    const int skipped = this->skip_k(work_);
    const float2 key_scales = rows_.key_scales(kv_pair_, block_);
    inputs_.wait_for_q();
    this->await_keys();
    this->start_scores();
    ptx::wgmma_wait_group<0>();
    this->finish_scores(block_, scores_);
    if (block_ >= first_masked_) rows_.mask(work_, block_, scores_);
    const BlockScales scales{query_scale_ * key_scales.x, key_scales.y};
    float ahead[kAhead];
    float unused[tile::kRowsPerThread];
    softmax_.advance(scores_, scales, ahead, unused);
    softmax_.template exponentiate<kConfig.polynomial_every>(scores_, scales, ahead);
    pack_probabilities();
    begin_sums(scales);
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
      enter(next);
      skipped = this->skip_k(next);
      inputs_.wait_for_q();
    }
    const float2 key_scales = rows_.key_scales(kv_pair_, block);  // in good time: from memory
    this->await_keys();
    this->issue_both();
    this->finish_scores(block, scores_);

    const Softmax finished = softmax_;
    if (crosses) softmax_ = {};
    if (block >= first_masked_) rows_.mask(next, block, scores_);
    const BlockScales scales{query_scale_ * key_scales.x, key_scales.y};
    float ahead[kAhead];
    float rescale[tile::kRowsPerThread];
    const bool rescales = softmax_.advance(scores_, scales, ahead, rescale);
    if constexpr (kConfig.exponentiates_early) {
      softmax_.template exponentiate<kConfig.polynomial_every>(scores_, scales, ahead);
      // Scales are not negative. The branch ends a basic block, beyond which the compiler would
      // move the exponentials.
      if (scales.score < 0.0F) __trap();
      finish_block();
    } else {
      finish_block();
      softmax_.template exponentiate<kConfig.polynomial_every>(scores_, scales, ahead);
    }
    pack_probabilities();
    flush_output();
    begin_sums(scales);
    if (crosses) {
      this->skip_v(skipped);
      store(finished);
      FA3PROF_UNROLL
      for (float& output : output_) output = 0.0F;
    } else if (rescales) {
      tile::rescale_rows(output_, rescale);
      if constexpr (kSumsInGemm) sums_.rescale(rescale);
    }
    work_ = next;
    block_ = block;
    return true;
  }

  /// The last P V of the last tile.
  __device__ __forceinline__ void end() {
    this->issue_last_output();
    this->finish_last_output(accumulator());
    end_sums();
    flush_output();
    store(softmax_);
  }

  /// Writes O, normalised by the sums of `softmax` or those of its P V.
  __device__ __forceinline__ void store(Softmax softmax) {
    if constexpr (kSumsInGemm) sums_.finish(softmax.row_sum);
    rows_.store(work_, softmax, output_);
    stamps_.stamp(core::Stage::kTileStored);
  }

  /// What stays the same for a tile.
  __device__ __forceinline__ void enter(const Work& work) {
    kv_pair_ = rows_.kv_pair(work);
    query_scale_ = rows_.query_scale(work);
    first_masked_ = rows_.first_masked_block(work);
  }

  /// P V, which reads the probabilities, has been waited for.
  __device__ __forceinline__ void pack_probabilities() {
    pack(scores_, probabilities_);
    ptx::pin_registers(probabilities_);  // not to be put off until their use, beyond the epilogue
    stamps_.stamp(core::Stage::kSoftmaxDone);
  }

  /// S = Q K^T of the current K stage, as one batch of WGMMAs.
  __device__ __forceinline__ void issue_scores() {
    const ptx::SharedMatrix k = k_.advanced(inputs_.k_stage() * kKBytes);
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
    const ptx::SharedMatrix v = v_.advanced(inputs_.v_stage() * kVBytes);
    ptx::pin_registers(accumulator());
    if constexpr (kSumsInGemm) ptx::pin_registers(sums_.of_block);
    ptx::wgmma_fence();
    FA3PROF_UNROLL
    for (int key = 0; key < kConfig.tile_n; key += kMmaK) {
      const int bytes = key / kSlab * (kSlab * kConfig.value_channels()) + key % kSlab;
      if constexpr (kSumsInGemm) {
        ptx::WgmmaE4m3Wider<kConfig.head_dim>::rs(output_, sums_.of_block, &probabilities_[key / 8],
                                                  v.advanced(bytes), true);
      } else {
        ptx::WgmmaE4m3<kConfig.head_dim>::rs(accumulator(), &probabilities_[key / 8],
                                             v.advanced(bytes), !kFlushes || key != 0);
      }
      if (key == 0) stamps_.write();
    }
    ptx::wgmma_commit_group();
  }

  /// Waits for P V, with the sums that it brings.
  __device__ __forceinline__ void finish_block() {
    this->finish_output(accumulator());
    end_sums();
  }

  __device__ __forceinline__ void end_sums() {
    if constexpr (kSumsInGemm) {
      ptx::pin_registers(sums_.of_block);
      sums_.end_block();
    }
  }

  __device__ __forceinline__ void begin_sums(const BlockScales& scales) {
    if constexpr (kSumsInGemm) sums_.begin_block(scales.v_log2);
  }

  /// What P V adds to: O itself, or the sums of one block.
  __device__ __forceinline__ auto& accumulator() {
    if constexpr (kFlushes) {
      return recent_;
    } else {
      return output_;
    }
  }

  /// Adds the sums of a block to O in float32. WGMMA adds e4m3 products with 13 fraction bits only,
  /// so that long sums come out too small.
  __device__ __forceinline__ void flush_output() {
    if constexpr (kFlushes) {
      FA3PROF_UNROLL
      for (int i = 0; i < kOutputs; ++i) output_[i] += recent_[i];
    }
  }

  ptx::SharedMatrix q_;
  ptx::SharedMatrix k_;
  ptx::SharedMatrix v_;
  // Of the tile whose scores come next.
  int kv_pair_ = 0;
  int first_masked_ = 0;  ///< first block that needs a mask
  float query_scale_ = 0.0F;
  Softmax softmax_;
  float scores_[kScores];
  std::uint32_t probabilities_[kScores / 4];
  float output_[kOutputs] = {};
  [[no_unique_address]] std::conditional_t<kSumsInGemm, GemmSums, NothingOwn> sums_;
  float recent_[kFlushes ? kOutputs : 1];  ///< P V of one block
};

}  // namespace fa3prof::kernels::fa3_fp8
