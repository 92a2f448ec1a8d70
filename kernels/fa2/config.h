// Tiles, threads and memory budget of the FA2-style kernel. Plain C++: the host, the device and the
// tests that compare with configs/pipelines/fa2.json read the same numbers.
#pragma once

#include "kernels/ptx/element.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace fa3prof::kernels::fa2 {

/// The kernel for one head_dim.
struct Config {
  int head_dim;
  int tile_m;       ///< query rows of a CTA
  int tile_n;       ///< keys of a block
  int stages;       ///< shared-memory buffers of K and of V: 1 or 2
  int warps;        ///< each computes tile_m / warps query rows over all keys of a block
  int ctas_per_sm;  ///< resident together; one computes its softmax under the other's matmuls
  /// O is rescaled before P V, and only by warps that found a larger maximum; otherwise by all,
  /// between the first mma of P V.
  bool rescales_on_demand = false;

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

/// All registers of an SM are taken: by two CTAs of four warps, or one of eight where O is as wide
/// as 256. With head_dim 64 shared memory holds two blocks of 128 keys, so that a block needs one
/// barrier in place of two.
inline constexpr std::array<Config, 3> kConfigs{
    {{.head_dim = 64, .tile_m = 128, .tile_n = 128, .stages = 2, .warps = 4, .ctas_per_sm = 2},
     {.head_dim = 128,
      .tile_m = 128,
      .tile_n = 64,
      .stages = 1,
      .warps = 4,
      .ctas_per_sm = 2,
      .rescales_on_demand = true},
     {.head_dim = 256, .tile_m = 128, .tile_n = 64, .stages = 1, .warps = 8, .ctas_per_sm = 1}}};

/// Throws at compile time for a head_dim that has no kernel.
[[nodiscard]] constexpr Config config_for(std::int64_t head_dim) {
  for (const Config& config : kConfigs) {
    if (config.head_dim == head_dim) return config;
  }
  throw "no kernel for this head_dim";
}

constexpr bool is_consistent(const Config& c) {
  // What an A100 gives the CTAs of an SM, so that the portable code runs there: 164 KiB, of which
  // each CTA costs one.
  const int shared_kib = c.ctas_per_sm * (c.shared_memory_bytes() / 1024 + 1);
  return c.tile_m % (16 * c.warps) == 0 && c.tile_n % 16 == 0 && (c.stages == 1 || c.stages == 2) &&
         shared_kib <= 164;
}

static_assert(is_consistent(kConfigs[0]) && is_consistent(kConfigs[1]) &&
              is_consistent(kConfigs[2]));

/// One compiled kernel, as a type, since nvcc cannot name a Config as a kernel's template argument.
template <int kHeadDim, ptx::Element kElementType>
struct Instance {
  static constexpr Config kConfig = config_for(kHeadDim);
  static constexpr ptx::Element kElement = kElementType;
};

}  // namespace fa3prof::kernels::fa2
