// A consumer warpgroup of the FA3-style kernel: both GEMMs, the softmax between them, the epilogue.
#pragma once

#include "kernels/fa3_fp16/storage.cuh"
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/ptx/warpgroup.cuh"
#include "kernels/ptx/wgmma.cuh"
#include "kernels/tile/online_softmax.cuh"
#include "kernels/tile/ring.cuh"
#include "kernels/tile/store_rows.cuh"

#include <cstdint>

namespace fa3prof::kernels::fa3_fp16 {

/// One consumer warpgroup: its 64 rows of each tile.
template <typename Instance>
class Consumer {
 public:
  __device__ __forceinline__ Consumer(SharedStorage<Instance>& shared, const Parameters& p,
                                      int warpgroup)
      : shared_(shared),
        p_(p),
        warpgroup_(warpgroup),
        thread_(static_cast<int>(threadIdx.x) % kWarpgroupThreads),
        q_(ptx::shared_matrix(shared.q, 0).advanced(warpgroup * kWarpgroupRows * 128)),
        k_(ptx::shared_matrix(shared.k, 0)),
        v_(ptx::shared_matrix(shared.v, Instance::kConfig.tile_n * 128)) {}

  __device__ __forceinline__ void run() {
    // The first consumer may issue its GEMMs at once: its last predecessor gives it the turn.
    if (warpgroup_ == Instance::kConfig.consumer_warpgroups - 1) give_turn();
    unsigned tile_parity = 0;
    for (int tile_index = blockIdx.x; tile_index < p_.order.tiles;) {
      attend(work_of<Instance>(p_, tile_index));
      ptx::mbarrier_wait(&shared_.tile_full, tile_parity);
      tile_index = shared_.next_tile;
      ptx::mbarrier_arrive(&shared_.tile_empty);
      tile_parity ^= 1U;
    }
    // The turn that no GEMM follows is taken all the same, so that no barrier is left half full.
    if (warpgroup_ == 0) take_turn();
  }

 private:
  static constexpr int kScores = Instance::kConfig.tile_n / 2;     // accumulator registers of S
  static constexpr int kOutputs = Instance::kConfig.head_dim / 2;  // of O
  static constexpr int kQBlockBytes = Instance::kConfig.tile_m * 128;
  static constexpr int kKvBlockBytes = Instance::kConfig.tile_n * 128;
  static constexpr int kStageBytes = Instance::kConfig.tile_n * Instance::kConfig.head_dim * 2;

  __device__ __forceinline__ void attend(const Work& work) {
    tile::OnlineSoftmax softmax;
    float output[kOutputs] = {};
    if (work.key_blocks > 0) {
      visit_keys(work, softmax, output);
      softmax.finish_sums();
    }
    store(work, softmax, output);
  }

  /// O += P V and the softmax state over all key blocks, last block first.
  __device__ __forceinline__ void visit_keys(const Work& work, tile::OnlineSoftmax& softmax,
                                             float (&output)[kOutputs]) {
    float scores[kScores];
    std::uint32_t probabilities[kScores / 2];
    float rescale[tile::kRowsPerThread];
    const int first_masked = first_masked_block(work);
    int block = work.key_blocks - 1;

    ptx::mbarrier_wait(&shared_.q_full, q_parity_);
    q_parity_ ^= 1U;
    wait_for_k();
    issue_scores(scores);
    ptx::wgmma_wait_group<0>();
    ptx::pin_registers(scores);
    release_k();
    if (block >= first_masked) mask(work, block, scores);
    softmax.template update<true>(scores, p_.scale_log2, rescale);
    tile::pack<Instance::kElement>(scores, probabilities);

    for (--block; block >= first_masked; --block) {
      step<true>(work, block, softmax, scores, probabilities, output);
    }
    for (; block >= 0; --block) {
      step<false>(work, block, softmax, scores, probabilities, output);
    }
    release(shared_.q_empty);

    wait_for_v();
    issue_output(output, probabilities);
    ptx::wgmma_wait_group<0>();
    ptx::pin_registers(output);
    release_v();
  }

  /// Scores and softmax of `block` while P V of the block before it runs.
  template <bool kIsMasked>
  __device__ __forceinline__ void step(const Work& work, int block, tile::OnlineSoftmax& softmax,
                                       float (&scores)[kScores],
                                       std::uint32_t (&probabilities)[kScores / 2],
                                       float (&output)[kOutputs]) {
    float rescale[tile::kRowsPerThread];
    wait_for_k();
    take_turn();
    issue_scores(scores);
    wait_for_v();
    issue_output(output, probabilities);
    give_turn();
    ptx::wgmma_wait_group<1>();
    ptx::pin_registers(scores);
    release_k();
    if constexpr (kIsMasked) mask(work, block, scores);
    softmax.template update<kIsMasked>(scores, p_.scale_log2, rescale);
    ptx::wgmma_wait_group<0>();
    ptx::pin_registers(output);
    release_v();
    // Packing waits for the end of P V, which still reads the probabilities.
    tile::pack<Instance::kElement>(scores, probabilities);
    tile::rescale_rows(output, rescale);
  }

  /// S = Q K^T of the current K stage, as one batch of WGMMAs.
  __device__ __forceinline__ void issue_scores(float (&scores)[kScores]) {
    const ptx::SharedMatrix k = k_.advanced(k_at_.stage * kStageBytes);
    ptx::pin_registers(scores);
    ptx::wgmma_fence();
    FA3PROF_UNROLL
    for (int column = 0; column < Instance::kConfig.head_dim; column += kMmaK) {
      const int block = column / kSwizzleColumns;
      const int inside_bytes = column % kSwizzleColumns * 2;
      ptx::Wgmma<Instance::kConfig.tile_n, Instance::kElement>::ss(
          scores, q_.advanced(block * kQBlockBytes + inside_bytes),
          k.advanced(block * kKvBlockBytes + inside_bytes), column != 0);
    }
    ptx::wgmma_commit_group();
  }

  /// O += P V of the current V stage, as one batch of WGMMAs.
  __device__ __forceinline__ void issue_output(float (&output)[kOutputs],
                                               const std::uint32_t (&probabilities)[kScores / 2]) {
    const ptx::SharedMatrix v = v_.advanced(v_at_.stage * kStageBytes);
    ptx::pin_registers(output);
    ptx::wgmma_fence();
    FA3PROF_UNROLL
    for (int key = 0; key < Instance::kConfig.tile_n; key += kMmaK) {
      ptx::Wgmma<Instance::kConfig.head_dim, Instance::kElement>::rs(
          output, &probabilities[key / 4], v.advanced(key * 128), true);
    }
    ptx::wgmma_commit_group();
  }

  /// First key block that some row of this warpgroup does not see whole.
  __device__ __forceinline__ int first_masked_block(const Work& work) const {
    int visible = p_.seqlen_kv;
    if constexpr (Instance::kIsCausal) {
      const int first_row = work.first_row + warpgroup_ * kWarpgroupRows;
      visible = min(visible, max(0, first_row + 1 + p_.seqlen_kv - p_.seqlen_q));
    }
    return visible / Instance::kConfig.tile_n;
  }

  /// Row (0 or 1) of this thread within the sequence.
  __device__ __forceinline__ int row_of(const Work& work, int r) const {
    return work.first_row + warpgroup_ * kWarpgroupRows + thread_ / 32 * 16 + thread_ % 32 / 4 +
           8 * r;
  }

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
    tile::mask_scores(scores, block * Instance::kConfig.tile_n, visible);
  }

  /// Epilogue: normalises and writes the rows that exist.
  __device__ __forceinline__ void store(const Work& work, const tile::OnlineSoftmax& softmax,
                                        const float (&output)[kOutputs]) const {
    const auto [row_block, head, batch] = work.at;
    const std::int64_t base = batch * p_.o_strides.batch + head * p_.o_strides.head;
    const std::int64_t lse_base =
        (static_cast<std::int64_t>(batch) * p_.order.heads + head) * p_.seqlen_q;
    FA3PROF_UNROLL
    for (int r = 0; r < tile::kRowsPerThread; ++r) {
      const int row = row_of(work, r);
      const bool exists = row < p_.seqlen_q;
      tile::store_row<Instance::kElement>(output, r, softmax.normalizer(r),
                                          exists ? p_.o + base + row * p_.o_strides.seq : nullptr);
      if (exists && thread_ % 4 == 0) {
        p_.lse[lse_base + row] = softmax.log_sum_exp(r, p_.scale_log2);
      }
    }
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
  int thread_;
  ptx::SharedMatrix q_;
  ptx::SharedMatrix k_;
  ptx::SharedMatrix v_;
  tile::RingPosition<Instance::kConfig.stages> k_at_;
  tile::RingPosition<Instance::kConfig.stages> v_at_;
  unsigned q_parity_ = 0;
};

}  // namespace fa3prof::kernels::fa3_fp16
