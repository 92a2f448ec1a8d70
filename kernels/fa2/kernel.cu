// Forward attention in the manner of FlashAttention-2 (arXiv 2307.08691, section 3.1 and 3.3).
//
//   O[b, i, h, :] = softmax(scale * Q[b, i, h, :] K[b, :, h', :]^T + mask) V[b, :, h', :]
//   Q, O: [batch, seqlen_q, heads, d]; K, V: [batch, seqlen_kv, heads_kv, d]; h' = h / group.
//
// A CTA owns tile_m query rows of one head and visits the key blocks that they see, from the last to
// the first, so that only the first ones visited need masks. Every warp owns two slabs of 16 rows
// and works alone on them: all keys of a block, all columns of O. One serial loop per key block:
//   wait for K, barrier | start V | S = Q K^T, mask, row maximum | wait for V, barrier |
//   start the next K | P = exp(S - maximum), O += P V
// V arrives under the first GEMM, the next K under the second. The exponentials of 16 keys stand
// between the mma of the 16 keys before; whatever this does not hide is left to the other CTA on the
// SM. Both m16 slabs use each fragment of K and V that a warp loads.
//
// Shared memory, bytes, tile 128 x 64, d = 128: Q 32768, K 16384, V 16384: 65536. Each tile is
// [d / 64][rows][64] halves, the 16-byte chunk c of a row stored at c ^ (row & 7): rows of 128 bytes
// and yet no bank conflicts, neither for cp.async nor for ldmatrix.
#include "kernels/fa2/kernel.h"

#include "kernels/fa2/config.h"
#include "kernels/ptx/cp_async.cuh"
#include "kernels/ptx/ldmatrix.cuh"
#include "kernels/ptx/math.cuh"
#include "kernels/ptx/mma.cuh"
#include "kernels/ptx/unroll.h"
#include "kernels/runtime/cuda_check.h"
#include "kernels/tile/online_softmax.cuh"
#include "kernels/tile/scheduler.cuh"
#include "kernels/tile/store_rows.cuh"
#include "src/core/error.h"

#include <cuda_fp16.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace fa3prof::kernels::fa2 {
namespace {

constexpr int kBlockColumns = 64;  // columns of a shared-memory block: 128-byte rows
constexpr int kRowBytes = 128;
constexpr int kChunkElements = 8;  // 16 bytes: the unit of copies and of the swizzle
constexpr int kMmaM = 16;
constexpr int kMmaK = 16;
constexpr int kFragmentsAhead = 2;  // ldmatrix of K or V in flight before the mma that needs them

template <typename Instance>
struct SharedStorage {
  alignas(1024) __half q[Instance::kConfig.tile_m * Instance::kConfig.head_dim];
  alignas(1024) __half k[Instance::kConfig.tile_n * Instance::kConfig.head_dim];
  alignas(1024) __half v[Instance::kConfig.tile_n * Instance::kConfig.head_dim];
};

struct Parameters {
  AttentionTensors tensors;
  int seqlen_q;
  int seqlen_kv;
  int heads_per_kv_head;
  bool is_causal;
  float scale_log2;  ///< softmax_scale * log2(e)
  tile::TileOrder order;
};

/// Keys that query row `row` sees, counted from key 0.
__device__ __forceinline__ int visible_keys(const Parameters& p, std::int64_t row) {
  if (!p.is_causal) return p.seqlen_kv;
  const std::int64_t visible = row + 1 + p.seqlen_kv - p.seqlen_q;
  return static_cast<int>(max(std::int64_t{0}, min(visible, std::int64_t{p.seqlen_kv})));
}

/// One CTA's tile of output: registers of one thread and the steps of the algorithm.
template <typename Instance>
class QueryTile {
 public:
  __device__ __forceinline__ QueryTile(const Parameters& p, std::uint32_t shared)
      : p_(p),
        at_(tile::position_of(p.order, static_cast<int>(blockIdx.x))),
        first_row_(at_.row_block * kConfig.tile_m),
        shared_(shared),
        lane_row_(shared + lane_ % 16 * kRowBytes + ((lane_ / 16) ^ (lane_ % 8)) * 16) {}

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
  static constexpr int kThreads = kConfig.threads();
  static constexpr int kSlabs = kConfig.tile_m / (kMmaM * kConfig.warps);
  static constexpr int kScores = kConfig.tile_n / 2;     // accumulator registers of S, per slab
  static constexpr int kOutputs = kConfig.head_dim / 2;  // of O, per slab
  static constexpr int kPairs = 4;                       // registers of an A fragment
  static constexpr int kQOffset = offsetof(SharedStorage<Instance>, q);
  static constexpr int kKOffset = offsetof(SharedStorage<Instance>, k);
  static constexpr int kVOffset = offsetof(SharedStorage<Instance>, v);
  static_assert(kConfig.stages == 1, "the serial loop has one buffer of K and one of V");

  /// Starts the copies of Q and of the first K block visited.
  __device__ __forceinline__ void load_first(int last_block) {
    const std::int64_t first_key = std::int64_t{last_block} * kConfig.tile_n;
    const int kv_head = at_.head / p_.heads_per_kv_head;
    const AttentionTensors& t = p_.tensors;
    k_ = chunk_of(t.k, t.k_strides, kv_head) + first_key * t.k_strides.seq;
    v_ = chunk_of(t.v, t.v_strides, kv_head) + first_key * t.v_strides.seq;
    load<true, kConfig.tile_m, kQOffset>(
        chunk_of(t.q, t.q_strides, at_.head) + first_row_ * t.q_strides.seq, t.q_strides.seq,
        p_.seqlen_q - first_row_);
    load<true, kConfig.tile_n, kKOffset>(k_, t.k_strides.seq, p_.seqlen_kv - first_key);
  }

  template <bool kIsMasked>
  __device__ __forceinline__ void visit_block(int block) {
    const int first_key = block * kConfig.tile_n;
    float scores[kSlabs][kScores] = {};
    // K of this block is there, and no warp reads the V before any more.
    ptx::cp_async_wait_all();
    __syncthreads();
    load<kIsMasked, kConfig.tile_n, kVOffset>(v_, p_.tensors.v_strides.seq,
                                              p_.seqlen_kv - first_key);
    v_ -= kConfig.tile_n * p_.tensors.v_strides.seq;

    multiply_scores(scores);
    float rescale[kSlabs][tile::kRowsPerThread];
    float offset[kSlabs][tile::kRowsPerThread];
    FA3PROF_UNROLL
    for (int slab = 0; slab < kSlabs; ++slab) {
      if constexpr (kIsMasked) mask(slab, first_key, scores[slab]);
      raise_maximum<kIsMasked>(softmax_[slab], scores[slab], rescale[slab], offset[slab]);
    }

    // V is there, and no warp reads K any more.
    ptx::cp_async_wait_all();
    __syncthreads();
    if (block > 0) {
      k_ -= kConfig.tile_n * p_.tensors.k_strides.seq;
      load<false, kConfig.tile_n, kKOffset>(k_, p_.tensors.k_strides.seq, kConfig.tile_n);
    }
    accumulate_output(scores, rescale, offset);
  }

  /// Starts the copy of kRows rows to `kOffset` in shared memory; eight threads bring the 128 bytes
  /// of a row. `from` is this thread's chunk of its first row. kMayEnd: rows from `rows` on, which
  /// are not read, become zeros.
  template <bool kMayEnd, int kRows, int kOffset>
  __device__ __forceinline__ void load(const __half* from, std::int64_t stride, int rows) const {
    constexpr int kRowsAtOnce = kThreads / 8;
    const int thread_row = static_cast<int>(threadIdx.x) / 8;
    const int chunk = (static_cast<int>(threadIdx.x) % 8) ^ (thread_row % 8);
    const std::uint32_t to = shared_ + kOffset + thread_row * kRowBytes + chunk * 16;
    FA3PROF_UNROLL
    for (int step = 0; step < kRows; step += kRowsAtOnce) {
      FA3PROF_UNROLL
      for (int column = 0; column < kConfig.head_dim; column += kBlockColumns) {
        const std::uint32_t at = to + (column / kBlockColumns * kRows + step) * kRowBytes;
        if constexpr (kMayEnd) {
          ptx::cp_async_cg_zfill(at, from + column, thread_row + step < rows);
        } else {
          ptx::cp_async_cg(at, from + column);
        }
      }
      from += kRowsAtOnce * stride;
    }
  }

  /// Row address of this lane for ldmatrix.x4 of the 16 x 16 elements at (row, column) of a tile of
  /// kRows rows at `kOffset`. Matrices 0 to 3: upper left, lower left, upper right, lower right.
  template <int kRows, int kOffset>
  __device__ __forceinline__ std::uint32_t fragment(int row, int column) const {
    const int block = column / kBlockColumns;
    const int inside = column % kBlockColumns / kChunkElements;
    return (lane_row_ ^ static_cast<std::uint32_t>(inside * 16)) +
           static_cast<std::uint32_t>(kOffset + (block * kRows + row) * kRowBytes);
  }

  /// S += Q K^T, two steps of `column` at a time in registers: the mma of one, the loads of the next.
  __device__ __forceinline__ void multiply_scores(float (&scores)[kSlabs][kScores]) const {
    constexpr int kGroups = kConfig.tile_n / 16;
    constexpr int kFragments = kGroups * (kConfig.head_dim / kMmaK);
    constexpr int kBuffers = kFragmentsAhead + 1;
    std::uint32_t q[2][kSlabs][4];
    std::uint32_t k[kBuffers][4];
    const auto load_k = [&](int i) {
      ptx::ldmatrix_x4(k[i % kBuffers], fragment<kConfig.tile_n, kKOffset>(i % kGroups * 16,
                                                                           i / kGroups * kMmaK));
    };
    load_q(q[0], 0);
    FA3PROF_UNROLL
    for (int i = 0; i < kFragmentsAhead; ++i) load_k(i);
    FA3PROF_UNROLL
    for (int i = 0; i < kFragments; ++i) {
      const int step = i / kGroups;
      const int group = i % kGroups;
      if (i + kFragmentsAhead < kFragments) load_k(i + kFragmentsAhead);
      if (group == 0 && i + kGroups < kFragments) load_q(q[(step + 1) % 2], (step + 1) * kMmaK);
      FA3PROF_UNROLL
      for (int slab = 0; slab < kSlabs; ++slab) {
        FA3PROF_UNROLL
        for (int half = 0; half < 2; ++half) {
          ptx::mma_m16n8k16<__half>(&scores[slab][(2 * group + half) * 4], q[step % 2][slab],
                                    k[i % kBuffers][half], k[i % kBuffers][half + 2]);
        }
      }
    }
  }

  __device__ __forceinline__ void load_q(std::uint32_t (&q)[kSlabs][4], int column) const {
    const int warp_row = warp_ * kMmaM;
    FA3PROF_UNROLL
    for (int slab = 0; slab < kSlabs; ++slab) {
      ptx::ldmatrix_x4(q[slab], fragment<kConfig.tile_m, kQOffset>(
                                    warp_row + slab * kConfig.warps * kMmaM, column));
    }
  }

  __device__ __forceinline__ void mask(int slab, int first_key, float (&scores)[kScores]) const {
    const int visible[tile::kRowsPerThread] = {visible_keys(p_, row_of(slab, 0)),
                                               visible_keys(p_, row_of(slab, 1))};
    tile::mask_scores(scores, first_key, visible);
  }

  /// First half of the online softmax: the row maxima after this block, the factor that brings the
  /// sums and outputs so far to them, and the exponents' offset. The exponentials come later, one
  /// by one between the mma (see pair_of_probabilities).
  template <bool kMayBeEmpty>
  __device__ __forceinline__ void raise_maximum(tile::OnlineSoftmax& softmax,
                                                const float (&scores)[kScores],
                                                float (&rescale)[tile::kRowsPerThread],
                                                float (&offset)[tile::kRowsPerThread]) const {
    FA3PROF_UNROLL
    for (int r = 0; r < tile::kRowsPerThread; ++r) {
      float largest = softmax.row_max[r];
      FA3PROF_UNROLL
      for (int i = 2 * r; i < kScores; i += 4) {
        largest = fmaxf(largest, fmaxf(scores[i], scores[i + 1]));
      }
      largest = tile::reduce_quad(largest, [](float a, float b) { return fmaxf(a, b); });
      // -inf - -inf would be NaN: an empty row keeps probabilities 0 by subtracting 0 instead.
      const float subtracted = kMayBeEmpty && largest == -INFINITY ? 0.0F : largest;
      rescale[r] = ptx::ex2((softmax.row_max[r] - subtracted) * p_.scale_log2);
      offset[r] = subtracted * p_.scale_log2;
      softmax.row_max[r] = largest;
      softmax.row_sum[r] *= rescale[r];
    }
  }

  /// Second half: register `pair` of the A fragment of P for 16 keys, whose scores these are, and
  /// its share of the row sum.
  __device__ __forceinline__ std::uint32_t pair_of_probabilities(tile::OnlineSoftmax& softmax,
                                                                 const float* scores, int pair,
                                                                 const float* offset) const {
    const int r = tile::row_of(2 * pair);
    const float low = ptx::ex2(fmaf(scores[2 * pair], p_.scale_log2, -offset[r]));
    const float high = ptx::ex2(fmaf(scores[2 * pair + 1], p_.scale_log2, -offset[r]));
    softmax.row_sum[r] += low + high;
    const __half2 packed = __floats2half2_rn(low, high);
    return *reinterpret_cast<const std::uint32_t*>(&packed);
  }

  /// O = O * rescale + P V. The accumulator order of S is the A fragment order of P.
  __device__ __forceinline__ void accumulate_output(
      const float (&scores)[kSlabs][kScores], const float (&rescale)[kSlabs][tile::kRowsPerThread],
      const float (&offset)[kSlabs][tile::kRowsPerThread]) {
    constexpr int kGroups = kConfig.head_dim / 16;
    constexpr int kSteps = kConfig.tile_n / kMmaK;
    constexpr int kBuffers = kFragmentsAhead + 1;
    std::uint32_t p[2][kSlabs][kPairs];
    std::uint32_t v[kBuffers][4];
    const auto load_v = [&](int i) {
      ptx::ldmatrix_x4_trans(v[i % kBuffers], fragment<kConfig.tile_n, kVOffset>(
                                                  i / kGroups * kMmaK, i % kGroups * 16));
    };
    const auto make_p = [&](int step, int i) {
      const int slab = i / kPairs;
      p[step % 2][slab][i % kPairs] = pair_of_probabilities(
          softmax_[slab], &scores[slab][step * 8], i % kPairs, offset[slab]);
    };
    FA3PROF_UNROLL
    for (int i = 0; i < kFragmentsAhead; ++i) load_v(i);
    FA3PROF_UNROLL
    for (int i = 0; i < kSlabs * kPairs; ++i) make_p(0, i);
    FA3PROF_UNROLL
    for (int i = 0; i < kSteps * kGroups; ++i) {
      const int step = i / kGroups;
      const int group = i % kGroups;
      if (i + kFragmentsAhead < kSteps * kGroups) load_v(i + kFragmentsAhead);
      if (step == 0) rescale_columns(group, rescale);
      if (step + 1 < kSteps) {
        FA3PROF_UNROLL
        for (int j = 0; j < kSlabs * kPairs; ++j) {
          if (j * kGroups / (kSlabs * kPairs) == group) make_p(step + 1, j);
        }
      }
      FA3PROF_UNROLL
      for (int slab = 0; slab < kSlabs; ++slab) {
        FA3PROF_UNROLL
        for (int half = 0; half < 2; ++half) {
          ptx::mma_m16n8k16<__half>(&output_[slab][(2 * group + half) * 4], p[step % 2][slab],
                                    v[i % kBuffers][2 * half], v[i % kBuffers][2 * half + 1]);
        }
      }
    }
  }

  /// Brings 16 columns of O to the new row maxima.
  __device__ __forceinline__ void rescale_columns(
      int group, const float (&rescale)[kSlabs][tile::kRowsPerThread]) {
    FA3PROF_UNROLL
    for (int slab = 0; slab < kSlabs; ++slab) {
      FA3PROF_UNROLL
      for (int i = 0; i < 8; ++i) output_[slab][group * 8 + i] *= rescale[slab][tile::row_of(i)];
    }
  }

  /// Normalises and writes the rows that exist.
  __device__ __forceinline__ void store() {
    const Strides& strides = p_.tensors.o_strides;
    __half* const o = static_cast<__half*>(p_.tensors.o) + at_.batch * strides.batch +
                      at_.head * strides.head;
    float* const lse = p_.tensors.lse +
                       (std::int64_t{at_.batch} * p_.order.heads + at_.head) * p_.seqlen_q;
    FA3PROF_UNROLL
    for (int slab = 0; slab < kSlabs; ++slab) {
      softmax_[slab].finish_sums();
      FA3PROF_UNROLL
      for (int r = 0; r < tile::kRowsPerThread; ++r) {
        const std::int64_t row = row_of(slab, r);
        const bool exists = row < p_.seqlen_q;
        tile::store_row_f16(output_[slab], r, softmax_[slab].normalizer(r),
                            exists ? o + row * strides.seq : nullptr);
        if (exists && lane_ % 4 == 0) lse[row] = softmax_[slab].log_sum_exp(r, p_.scale_log2);
      }
    }
  }

  /// Row r (0 or 1) of this thread in `slab`, within the sequence.
  [[nodiscard]] __device__ __forceinline__ std::int64_t row_of(int slab, int r) const {
    return std::int64_t{first_row_} + (slab * kConfig.warps + warp_) * kMmaM + lane_ / 4 + 8 * r;
  }

  /// This thread's first chunk of a [seqlen, d] slice: thread t copies chunk t % 8 of row t / 8.
  [[nodiscard]] __device__ __forceinline__ const __half* chunk_of(const void* base,
                                                                  const Strides& strides,
                                                                  int head) const {
    const int thread = static_cast<int>(threadIdx.x);
    return static_cast<const __half*>(base) + at_.batch * strides.batch + head * strides.head +
           thread / 8 * strides.seq + thread % 8 * kChunkElements;
  }

  const Parameters& p_;
  const int lane_ = static_cast<int>(threadIdx.x) % 32;
  const int warp_ = static_cast<int>(threadIdx.x) / 32;
  const tile::TilePosition at_;
  const int first_row_;
  const std::uint32_t shared_;
  const std::uint32_t lane_row_;  ///< this lane's row of a fragment at (0, 0) of shared memory
  const __half* k_ = nullptr;  ///< this thread's first chunk of the K block to load
  const __half* v_ = nullptr;  ///< the same of V
  tile::OnlineSoftmax softmax_[kSlabs];
  float output_[kSlabs][kOutputs] = {};
};

template <typename Instance>
__global__ void __launch_bounds__(Instance::kConfig.threads(), Instance::kConfig.ctas_per_sm)
    attention(const Parameters p) {
  extern __shared__ __align__(1024) unsigned char raw_shared[];
  QueryTile<Instance>(p, static_cast<std::uint32_t>(__cvta_generic_to_shared(raw_shared))).run();
}

/// Causal tiles go section by section: as many heads as keep K and V in half of the L2.
int section_heads(const core::AttentionProblem& problem) {
  if (!problem.is_causal) return 0;
  constexpr std::int64_t kSectionBytes = 32 << 20;
  const std::int64_t head_bytes = 2 * problem.seqlen_kv * problem.head_dim * 2;
  const std::int64_t kv_heads = std::max<std::int64_t>(1, kSectionBytes / head_bytes);
  const std::int64_t heads = kv_heads * (problem.num_heads / problem.num_heads_kv);
  return static_cast<int>(std::min(heads, problem.batch * problem.num_heads));
}

tile::TileOrder tile_order(const core::AttentionProblem& problem, Config config) {
  const std::int64_t row_blocks = (problem.seqlen_q + config.tile_m - 1) / config.tile_m;
  const std::int64_t tiles = row_blocks * problem.num_heads * problem.batch;
  if (tiles > std::numeric_limits<int>::max()) {
    throw core::UsageError("fa2: " + std::to_string(tiles) +
                           " output tiles are more than one grid can hold; use fewer batches");
  }
  return {.row_blocks = static_cast<int>(row_blocks),
          .heads = static_cast<int>(problem.num_heads),
          .batch = static_cast<int>(problem.batch),
          .section_heads = section_heads(problem)};
}

template <typename Instance>
void allow_shared_memory() {
  cuda_check(cudaFuncSetAttribute(attention<Instance>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  sizeof(SharedStorage<Instance>)));
}

template <typename Instance>
LaunchDescription describe_instance(const core::AttentionProblem& problem) {
  constexpr Config kConfig = Instance::kConfig;
  allow_shared_memory<Instance>();
  cudaFuncAttributes attributes{};
  cuda_check(cudaFuncGetAttributes(&attributes, attention<Instance>));
  int resident = 0;
  cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &resident, attention<Instance>, kConfig.threads(), sizeof(SharedStorage<Instance>)));
  return {.tile = {kConfig.tile_m, kConfig.tile_n},
          .stages = kConfig.stages,
          .threads = kConfig.threads(),
          .ctas_per_sm = resident,
          .registers_per_thread = attributes.numRegs,
          .shared_memory_bytes = sizeof(SharedStorage<Instance>),
          .local_memory_bytes = static_cast<std::int64_t>(attributes.localSizeBytes),
          .grid = tile_order(problem, kConfig).tiles(),
          .is_persistent = false};
}

template <typename Instance>
void launch_instance(const core::AttentionProblem& problem, const AttentionTensors& tensors,
                     cudaStream_t stream) {
  constexpr float kLog2E = 1.44269504088896340736F;
  const Parameters parameters{
      .tensors = tensors,
      .seqlen_q = static_cast<int>(problem.seqlen_q),
      .seqlen_kv = static_cast<int>(problem.seqlen_kv),
      .heads_per_kv_head = static_cast<int>(problem.num_heads / problem.num_heads_kv),
      .is_causal = problem.is_causal,
      .scale_log2 = tensors.softmax_scale * kLog2E,
      .order = tile_order(problem, Instance::kConfig)};
  allow_shared_memory<Instance>();
  attention<Instance><<<static_cast<unsigned>(parameters.order.tiles()),
                        Instance::kConfig.threads(), sizeof(SharedStorage<Instance>), stream>>>(
      parameters);
  cuda_check(cudaGetLastError());
}

}  // namespace

LaunchDescription describe(const core::AttentionProblem& problem) {
  return describe_instance<HeadDim128>(problem);
}

void launch(const core::AttentionProblem& problem, const AttentionTensors& tensors,
            cudaStream_t stream) {
  launch_instance<HeadDim128>(problem, tensors, stream);
}

}  // namespace fa3prof::kernels::fa2
