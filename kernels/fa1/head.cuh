// A CTA of the FA1-style kernel at work on its head, as one thread sees it.
#pragma once

#include "kernels/fa1/key_block.cuh"
#include "kernels/fa1/row_state.cuh"
#include "kernels/fa1/rows_in_registers.cuh"
#include "kernels/fa1/storage.cuh"
#include "kernels/ptx/convert.cuh"
#include "kernels/ptx/math.cuh"
#include "kernels/ptx/unroll.h"
#include "kernels/tile/softmax_rows.cuh"

#include <cfloat>
#include <cmath>
#include <cstdint>

namespace fa3prof::kernels::fa1 {

template <typename Instance>
class Head {
 public:
  __device__ __forceinline__ Head(const Parameters& p, SharedStorage<Instance>& shared)
      : p_(p), shared_(shared) {}

  __device__ __forceinline__ void run() {
    write_empty_rows();
    for (int first_key = 0; first_key < p_.seqlen_kv; first_key += kConfig.tile_n) {
      load_keys(first_key);
      visit_rows(first_key);
    }
  }

 private:
  static constexpr Config kConfig = Instance::kConfig;
  static constexpr int kThreads = kConfig.threads();
  static constexpr int kKeys = KeyBlock<Instance>::kKeys;
  using State = RowState<Instance>;
  using QueryRows = RowsInRegisters<kConfig.tile_m, kConfig.head_dim, kThreads>;

  /// O = 0 and LSE = -inf where no row of a tile sees a key: the loops never come there.
  __device__ __forceinline__ void write_empty_rows() const {
    const int rows = first_tile(p_, 0, kConfig.tile_m) * kConfig.tile_m;
    constexpr int kChunks = kConfig.head_dim / kChunkElements;
    const int thread = static_cast<int>(threadIdx.x);
    for (int row = thread / kChunks; row < rows; row += kThreads / kChunks) {
      Element* const chunk = output_row(row) + thread % kChunks * kChunkElements;
      *reinterpret_cast<uint4*>(chunk) = uint4{};
      if (thread % kChunks == 0) *lse_of(row) = -INFINITY;
    }
  }

  /// Algorithm 1, line 6. K and V pass through the same buffer into registers.
  __device__ __forceinline__ void load_keys(int first_key) {
    const AttentionTensors& t = p_.tensors;
    const int kv_head = head_ / p_.heads_per_kv_head;
    const int rows = p_.seqlen_kv - first_key;
    Element* const keys = shared_.exchange.keys;
    typename KeyBlock<Instance>::Tile tile;
    tile.fetch(slice(t.k, t.k_strides, kv_head) + first_key * t.k_strides.seq, t.k_strides.seq,
               rows);
    __syncthreads();  // the warps' parts of O have been read
    tile.place(keys);
    tile.fetch(slice(t.v, t.v_strides, kv_head) + first_key * t.v_strides.seq, t.v_strides.seq,
               rows);
    __syncthreads();
    block_.take_k(address_of(keys), warp_);
    __syncthreads();
    tile.place(keys);
    __syncthreads();
    block_.take_v(address_of(keys), warp_);
  }

  /// The inner loop: every tile of query rows of which some see the block.
  __device__ __forceinline__ void visit_rows(int first_key) const {
    const int tiles = p_.padded_rows / kConfig.tile_m;
    int tile = first_tile(p_, first_key, kConfig.tile_m);
    QueryRows q;
    fetch_queries(q, tile * kConfig.tile_m);
    q.place(shared_.q);
    __syncthreads();
    for (; tile < tiles; ++tile) visit_tile(first_key, tile * kConfig.tile_m);
  }

  /// One inner step. Q of the tile is in shared memory; leaves that of the next one there.
  __device__ __forceinline__ void visit_tile(int first_key, int first_row) const {
    // What memory has of these rows, and the next rows of Q, come under both GEMMs.
    const std::int64_t state_row = std::int64_t{pair_} * p_.padded_rows + first_row + State::row();
    State state;
    if (first_key > 0) state.read(p_, state_row);
    QueryRows next_q;
    fetch_queries(next_q, first_row + kConfig.tile_m);

    float scores[kKeys / 2] = {};
    block_.multiply_scores(address_of(shared_.q), scores);
    if (visible_keys(p_, first_row) - first_key < kConfig.tile_n)
      mask(first_key, first_row, scores);
    share_maxima(scores);
    __syncthreads();  // every warp's maxima are there, and Q has been read

    const float maximum = row_maximum(State::row());
    std::uint32_t probabilities[kKeys / kMmaK][4];
    exponentiate(scores, probabilities);
    multiply_output(probabilities);
    next_q.place(shared_.q);
    __syncthreads();  // every warp's sums and part of O are there, and the next Q

    state.update(maximum, row_sum(State::row()),
                 &shared_.exchange.partial[0][State::row()][State::column()]);
    const int last_row = min(first_row + kConfig.tile_m, p_.seqlen_q) - 1;
    if (visible_keys(p_, last_row) - first_key > kConfig.tile_n) {
      state.write(p_, state_row);
    } else if (first_row + State::row() < p_.seqlen_q) {
      state.finish(output_row(first_row + State::row()), lse_of(first_row + State::row()));
    }
  }

  __device__ __forceinline__ void fetch_queries(QueryRows& q, int first_row) const {
    const AttentionTensors& t = p_.tensors;
    q.fetch(slice(t.q, t.q_strides, head_) + first_row * t.q_strides.seq, t.q_strides.seq,
            p_.seqlen_q - first_row);
  }

  __device__ __forceinline__ void mask(int first_key, int first_row,
                                       float (&scores)[kKeys / 2]) const {
    const int visible[tile::kRowsPerThread] = {visible_keys(p_, first_row + lane_ / 4),
                                               visible_keys(p_, first_row + lane_ / 4 + 8)};
    tile::mask_scores(scores, first_key + warp_ * kKeys, visible);
  }

  __device__ __forceinline__ void share_maxima(const float (&scores)[kKeys / 2]) const {
    FA3PROF_UNROLL
    for (int r = 0; r < tile::kRowsPerThread; ++r) {
      const float highest = tile::highest_of_row(scores, r);
      if (lane_ % 4 == 0) shared_.maximum[lane_ / 4 + 8 * r][warp_] = highest;
    }
  }

  /// scale_log2 times the highest score that any warp has of a row.
  [[nodiscard]] __device__ __forceinline__ float row_maximum(int row) const {
    const float4 m = *reinterpret_cast<const float4*>(shared_.maximum[row]);
    return fmaxf(-FLT_MAX, fmaxf(fmaxf(m.x, m.y), fmaxf(m.z, m.w)) * p_.scale_log2);
  }

  [[nodiscard]] __device__ __forceinline__ float row_sum(int row) const {
    const float4 sums = *reinterpret_cast<const float4*>(shared_.sum[row]);
    return (sums.x + sums.y) + (sums.z + sums.w);
  }

  /// P = exp(S - maximum of the block) as A fragments, whose order is that of accumulators already,
  /// and this warp's sums.
  __device__ __forceinline__ void exponentiate(
      const float (&scores)[kKeys / 2], std::uint32_t (&probabilities)[kKeys / kMmaK][4]) const {
    const float maximum[tile::kRowsPerThread] = {row_maximum(lane_ / 4),
                                                 row_maximum(lane_ / 4 + 8)};
    float sum[tile::kRowsPerThread] = {0.0F, 0.0F};
    FA3PROF_UNROLL
    for (int i = 0; i < kKeys / 2; i += 2) {
      const int r = tile::row_of(i);
      const float low = ptx::ex2(fmaf(scores[i], p_.scale_log2, -maximum[r]));
      const float high = ptx::ex2(fmaf(scores[i + 1], p_.scale_log2, -maximum[r]));
      sum[r] += low + high;
      probabilities[i / 8][i % 8 / 2] = ptx::pack_pair<ptx::Element::kF16>(low, high);
    }
    FA3PROF_UNROLL
    for (int r = 0; r < tile::kRowsPerThread; ++r) {
      const float total = tile::reduce_quad(sum[r], [](float a, float b) { return a + b; });
      if (lane_ % 4 == 0) shared_.sum[lane_ / 4 + 8 * r][warp_] = total;
    }
  }

  /// This warp's part of O, 64 columns at a time: more would not fit the registers beside K and V.
  __device__ __forceinline__ void multiply_output(
      const std::uint32_t (&probabilities)[kKeys / kMmaK][4]) const {
    FA3PROF_UNROLL
    for (int column = 0; column < kConfig.head_dim; column += kBlockColumns) {
      float output[kBlockColumns / 2] = {};
      block_.multiply_output(probabilities, column, output);
      FA3PROF_UNROLL
      for (int i = 0; i < kBlockColumns / 2; i += 2) {
        float* const to = shared_.exchange.partial[warp_][lane_ / 4 + 8 * tile::row_of(i)];
        *reinterpret_cast<float2*>(to + column + i / 4 * 8 + lane_ % 4 * 2) = {output[i],
                                                                               output[i + 1]};
      }
    }
  }

  [[nodiscard]] static __device__ __forceinline__ std::uint32_t address_of(const Element* shared) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  }

  [[nodiscard]] const __device__ __forceinline__ Element* slice(const void* base,
                                                                const Strides& strides,
                                                                int head) const {
    return static_cast<const Element*>(base) + batch_ * strides.batch + head * strides.head;
  }

  [[nodiscard]] __device__ __forceinline__ Element* output_row(int row) const {
    const Strides& strides = p_.tensors.o_strides;
    return static_cast<Element*>(p_.tensors.o) + batch_ * strides.batch + head_ * strides.head +
           row * strides.seq;
  }

  [[nodiscard]] __device__ __forceinline__ float* lse_of(int row) const {
    return p_.tensors.lse + std::int64_t{pair_} * p_.seqlen_q + row;
  }

  const Parameters& p_;
  SharedStorage<Instance>& shared_;
  const int lane_ = static_cast<int>(threadIdx.x) % 32;
  // The shuffle tells the compiler that the number is the same for the whole warp.
  const int warp_ = __shfl_sync(0xffffffffU, static_cast<int>(threadIdx.x) / 32, 0);
  const int pair_ = static_cast<int>(blockIdx.x);  ///< batch * heads + head
  const int batch_ = pair_ / p_.num_heads;
  const int head_ = pair_ - batch_ * p_.num_heads;
  KeyBlock<Instance> block_;
};

}  // namespace fa3prof::kernels::fa1
