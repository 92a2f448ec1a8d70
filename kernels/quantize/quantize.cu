#include "kernels/quantize/quantize.cuh"
#include "kernels/quantize/quantize.h"
#include "src/core/error.h"

#include <string>

namespace fa3prof::kernels::quantize {
namespace {

/// Hands out pieces of one block of memory, 256-byte aligned each. Without a base it only counts.
class Carver {
 public:
  explicit Carver(void* base) : base_(static_cast<std::uint8_t*>(base)) {}

  template <typename T>
  T* take(std::int64_t count) {
    T* piece = base_ == nullptr ? nullptr : reinterpret_cast<T*>(base_ + used_);
    constexpr std::int64_t kAlignment = 256;
    used_ +=
        (count * static_cast<std::int64_t>(sizeof(T)) + kAlignment - 1) / kAlignment * kAlignment;
    return piece;
  }

  [[nodiscard]] std::int64_t used() const { return used_; }

 private:
  std::uint8_t* base_;
  std::int64_t used_ = 0;
};

/// The pieces of the memory that quantize() fills.
struct Memory {
  std::uint8_t* q;
  std::uint8_t* k;
  std::uint8_t* v;
  float* q_scales;
  float* kv_scales;
  float* mean;
  float* sums;
  float* head_factors;  ///< of Q, then K, then V
  std::int64_t bytes;
};

struct Sizes {
  std::int64_t query_pairs;
  std::int64_t kv_pairs;
  std::int64_t query_rows;  ///< of a head, padded
  std::int64_t keys;
  std::int64_t query_blocks;
  std::int64_t key_blocks;
  std::int64_t value_channels;
};

Sizes sizes_of(const core::AttentionProblem& problem, const Tiles& tiles) {
  const std::int64_t keys = padded(problem.seqlen_kv, tiles.keys);
  return {.query_pairs = problem.batch * problem.num_heads,
          .kv_pairs = problem.batch * problem.num_heads_kv,
          .query_rows = padded(problem.seqlen_q, tiles.query_rows),
          .keys = keys,
          .query_blocks = padded(problem.seqlen_q, kQueryScaleRows) / kQueryScaleRows,
          .key_blocks = keys / tiles.keys,
          .value_channels = tiles.value_channels};
}

Memory carve(const Sizes& sizes, std::int64_t head_dim, void* base) {
  Carver carver(base);
  Memory memory{};
  memory.q = carver.take<std::uint8_t>(sizes.query_pairs * sizes.query_rows * head_dim);
  memory.k = carver.take<std::uint8_t>(sizes.kv_pairs * sizes.keys * head_dim);
  memory.v = carver.take<std::uint8_t>(sizes.kv_pairs * sizes.keys * sizes.value_channels);
  memory.q_scales = carver.take<float>(sizes.query_pairs * sizes.query_blocks);
  memory.kv_scales = carver.take<float>(sizes.kv_pairs * sizes.key_blocks * 2);
  memory.mean = carver.take<float>(sizes.kv_pairs * head_dim);
  memory.sums = carver.take<float>(sizes.kv_pairs * sizes.key_blocks * head_dim);
  memory.head_factors = carver.take<float>(sizes.query_pairs + 2 * sizes.kv_pairs);
  memory.bytes = carver.used();
  return memory;
}

Source source_of(const void* base, const Strides& strides, std::int64_t rows,
                 std::int64_t padded_rows) {
  return {.base = static_cast<const std::uint16_t*>(base),
          .batch_stride = strides.batch,
          .row_stride = strides.seq,
          .head_stride = strides.head,
          .rows = static_cast<int>(rows),
          .padded_rows = static_cast<int>(padded_rows)};
}

Tasks tasks_of(const core::AttentionProblem& problem, const Tiles& tiles,
               const AttentionTensors& tensors, const Options& options, const Memory& memory) {
  const Sizes sizes = sizes_of(problem, tiles);
  const bool shares = options.scales == Scales::kPerHead;
  const auto factors_from = [&](std::int64_t pair) {
    return shares ? memory.head_factors + pair : nullptr;
  };
  const auto key_blocks = static_cast<int>(sizes.key_blocks);
  return {
      .q = {.source = source_of(tensors.q, tensors.q_strides, problem.seqlen_q, sizes.query_rows),
            .image = memory.q,
            .factors = memory.q_scales,
            .head_factors = factors_from(0),
            .factor_step = 1,
            .blocks = static_cast<int>(sizes.query_blocks),
            .block_rows = kQueryScaleRows,
            .rotates = options.rotates,
            .signs = options.signs},
      .k = {.source = source_of(tensors.k, tensors.k_strides, problem.seqlen_kv, sizes.keys),
            .image = memory.k,
            .factors = memory.kv_scales,
            .head_factors = factors_from(sizes.query_pairs),
            .factor_step = 2,
            .blocks = key_blocks,
            .block_rows = tiles.keys,
            .rotates = options.rotates,
            .signs = options.signs},
      .v = {.source = source_of(tensors.v, tensors.v_strides, problem.seqlen_kv, sizes.keys),
            .image = memory.v,
            .kv_scales = memory.kv_scales,
            .head_factors = factors_from(sizes.query_pairs + sizes.kv_pairs),
            .sums = memory.sums,
            .mean = memory.mean,
            .channels = static_cast<int>(sizes.value_channels),
            .block_keys = tiles.keys,
            .slab_keys = swizzle_bytes(tiles.keys),
            .blocks = key_blocks,
            .removes_mean = options.removes_mean},
      .heads = static_cast<int>(problem.num_heads),
      .heads_kv = static_cast<int>(problem.num_heads_kv),
      .batch = static_cast<int>(problem.batch)};
}

template <ptx::Element kElement>
void launch(const Tasks& tasks, std::int64_t head_dim, cudaStream_t stream) {
  if (head_dim == 64) return launch_tasks<64, kElement>(tasks, stream);
  if (head_dim == 128) return launch_tasks<128, kElement>(tasks, stream);
  if (head_dim == 256) return launch_tasks<256, kElement>(tasks, stream);
  throw core::UsageError("nothing quantises head_dim " + std::to_string(head_dim) +
                         "; use 64, 128 or 256");
}

}  // namespace

Signs random_signs(std::uint64_t seed) {
  Signs signs{};
  for (std::uint32_t& word : signs) {
    seed += 0x9E3779B97F4A7C15U;
    std::uint64_t mixed = (seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBU;
    word = static_cast<std::uint32_t>(mixed >> 32);
  }
  return signs;
}

std::size_t memory_bytes(const core::AttentionProblem& problem, const Tiles& tiles) {
  return static_cast<std::size_t>(carve(sizes_of(problem, tiles), problem.head_dim, nullptr).bytes);
}

QuantizedTensors quantize(const core::AttentionProblem& problem, const Tiles& tiles,
                          const AttentionTensors& tensors, const Options& options, void* memory,
                          cudaStream_t stream) {
  const Sizes sizes = sizes_of(problem, tiles);
  const Memory pieces = carve(sizes, problem.head_dim, memory);
  const Tasks tasks = tasks_of(problem, tiles, tensors, options, pieces);
  if (options.scales == Scales::kPerHead) {
    const auto heads = static_cast<std::size_t>(sizes.query_pairs + 2 * sizes.kv_pairs);
    cuda_check(cudaMemsetAsync(pieces.head_factors, 0, heads * sizeof(float), stream));
  }
  if (problem.dtype == core::DataType::kBFloat16) {
    launch<ptx::Element::kBf16>(tasks, problem.head_dim, stream);
  } else {
    launch<ptx::Element::kF16>(tasks, problem.head_dim, stream);
  }
  return {.q = pieces.q,
          .k = pieces.k,
          .v = pieces.v,
          .q_scales = pieces.q_scales,
          .kv_scales = pieces.kv_scales,
          .v_mean = pieces.mean};
}

}  // namespace fa3prof::kernels::quantize
