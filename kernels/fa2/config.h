// Tile, threads and memory budget of the FA2-style kernel. Plain C++: the host, the device and the
// tests that compare with configs/pipelines/fa2.json read the same numbers.
#pragma once

#include "src/core/attention_problem.h"

#include <algorithm>

namespace fa3prof::kernels::fa2 {

/// One instance of the kernel.
struct Config {
  int head_dim;
  int tile_m;       ///< query rows of a CTA
  int tile_n;       ///< keys of a block
  int stages;       ///< shared-memory buffers of K and of V
  int warps;        ///< each computes tile_m / warps query rows over all keys of a block
  int ctas_per_sm;  ///< resident together; one computes its softmax under the other's matmuls

  [[nodiscard]] constexpr int threads() const { return 32 * warps; }

  /// A thread's share of the SM's 65536, up to the 255 that an instruction can name.
  [[nodiscard]] constexpr int registers() const {
    return std::min(255, 65536 / (ctas_per_sm * threads()));
  }

  /// Q, K and V tiles of 16-bit elements.
  [[nodiscard]] constexpr int shared_memory_bytes() const {
    return (tile_m + 2 * stages * tile_n) * head_dim * 2;
  }
};

/// Two CTAs of 255 registers a thread fill the register file of an SM, and 2 x 64 KiB fit the
/// shared memory of an A100 as well as of an H100.
inline constexpr Config kHeadDim128{
    .head_dim = 128, .tile_m = 128, .tile_n = 64, .stages = 1, .warps = 4, .ctas_per_sm = 2};

/// The instance as a type, since nvcc cannot name a Config as a kernel's template argument.
struct HeadDim128 {
  static constexpr Config kConfig = kHeadDim128;
};

/// The instance that serves `problem`, whose head_dim must be 128.
[[nodiscard]] constexpr Config config_for(const core::AttentionProblem&) { return kHeadDim128; }

static_assert(kHeadDim128.shared_memory_bytes() == 64 * 1024);

}  // namespace fa3prof::kernels::fa2
