// Tiles, threads and memory budget of the FA1-style kernel. Plain C++: the host, the device and the
// tests that compare with configs/pipelines/fa1.json read the same numbers.
#pragma once

#include "src/core/attention_problem.h"

#include <algorithm>
#include <cstdint>

namespace fa3prof::kernels::fa1 {

/// One instance of the kernel.
struct Config {
  int head_dim;
  int tile_m;       ///< query rows of an inner step
  int tile_n;       ///< keys of a block, all held in registers
  int stages;       ///< shared-memory buffers that K and V take turns in
  int warps;        ///< each multiplies all query rows with tile_n / warps keys
  int ctas_per_sm;  ///< resident together

  [[nodiscard]] constexpr int threads() const { return 32 * warps; }

  /// A thread's share of the SM's 65536, up to the 255 that an instruction can name.
  [[nodiscard]] constexpr int registers() const {
    return std::min(255, 65536 / (ctas_per_sm * threads()));
  }

  /// Floats between two rows of a warp's partial O: the eight of padding put the eight rows that a
  /// warp writes at once into different banks.
  [[nodiscard]] constexpr int partial_stride() const { return head_dim + 8; }

  /// A block of K or V in 16 bits or, in the same place later, every warp's partial O in float32.
  [[nodiscard]] constexpr int exchange_bytes() const {
    return std::max(tile_n * head_dim * 2, warps * tile_m * partial_stride() * 4);
  }

  /// Beside it the Q tile, and of each row and warp a maximum and a sum.
  [[nodiscard]] constexpr int shared_memory_bytes() const {
    return exchange_bytes() + tile_m * head_dim * 2 + 2 * tile_m * warps * 4;
  }
};

/// 128 keys by 128 channels (or 256 by 64) are 64 registers of K and as many of V in each of 128
/// threads: as much as leaves room for S, P, half of O and what is on its way.
inline constexpr Config kHeadDim128{
    .head_dim = 128, .tile_m = 16, .tile_n = 128, .stages = 1, .warps = 4, .ctas_per_sm = 2};
inline constexpr Config kHeadDim64{
    .head_dim = 64, .tile_m = 16, .tile_n = 256, .stages = 1, .warps = 4, .ctas_per_sm = 2};

/// The instances as types, since nvcc cannot name a Config as a kernel's template argument.
struct HeadDim128 {
  static constexpr Config kConfig = kHeadDim128;
};

struct HeadDim64 {
  static constexpr Config kConfig = kHeadDim64;
};

/// The instance that serves `problem`, whose head_dim must be 64 or 128.
[[nodiscard]] constexpr Config config_for(const core::AttentionProblem& problem) {
  return problem.head_dim == 64 ? kHeadDim64 : kHeadDim128;
}

/// Query rows of a head, whole tiles.
[[nodiscard]] constexpr std::int64_t padded_rows(const core::AttentionProblem& problem) {
  const std::int64_t tile_m = config_for(problem).tile_m;
  return (problem.seqlen_q + tile_m - 1) / tile_m * tile_m;
}

/// Rows of state in all: [batch, heads, padded rows].
[[nodiscard]] constexpr std::int64_t state_rows(const core::AttentionProblem& problem) {
  return problem.batch * problem.num_heads * padded_rows(problem);
}

/// Device memory for what a launch keeps between key blocks: of each row O in float32, the maximum
/// and the sum.
[[nodiscard]] constexpr std::int64_t state_bytes(const core::AttentionProblem& problem) {
  return state_rows(problem) * (problem.head_dim + 2) * 4;
}

static_assert(kHeadDim128.shared_memory_bytes() == 34816 + 4096 + 512);
static_assert(kHeadDim64.shared_memory_bytes() == 32768 + 2048 + 512);

}  // namespace fa3prof::kernels::fa1
