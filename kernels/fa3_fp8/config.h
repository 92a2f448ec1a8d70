// Tiles, pipeline and registers of the FA3-style kernel for e4m3. Plain C++: the host, the device
// and the tests that compare with configs/pipelines read the same numbers.
#pragma once

#include "kernels/ptx/element.h"
#include "kernels/quantize/layout.h"

#include <array>
#include <cstdint>

namespace fa3prof::kernels::fa3_fp8 {

/// The kernel for one head_dim.
struct Config {
  int head_dim;
  int tile_m;  ///< query rows of a CTA: 64 for each consumer warpgroup
  int tile_n;  ///< keys of a block, which share a scale of K and one of V
  int stages;  ///< shared-memory buffers of K and of V
  int consumer_warpgroups;
  int producer_registers;  ///< per thread after setmaxnreg
  int consumer_registers;
  int scores_ahead;         ///< per thread, whose exponentials run beside the check of the limit
  bool takes_turns = true;  ///< consumer warpgroups issue their GEMMs in turn
  bool overlaps = true;     ///< scores of a block are issued before P V of the block before
  bool exponentiates_early = false;  ///< before P V of the block before is waited for
  int cubic_every = 0;               ///< of so many exponentials one avoids MUFU; 0: none
  int pv_flush_blocks = 0;           ///< key blocks after which P V moves to float32 sums; 0: never

  [[nodiscard]] constexpr int threads() const { return 128 * (consumer_warpgroups + 1); }

  /// Keys of a slab of transposed V, as wide as a swizzle pattern can be.
  [[nodiscard]] constexpr int slab_keys() const { return quantize::swizzle_bytes(tile_n); }

  /// Q, the stages of K and V, and what the barriers take up to the next KiB.
  [[nodiscard]] constexpr int shared_memory_bytes() const {
    return (tile_m + 2 * stages * tile_n) * head_dim + 1024;
  }
};

inline constexpr std::array<Config, 3> kConfigs{{{.head_dim = 64,
                                                  .tile_m = 192,
                                                  .tile_n = 160,
                                                  .stages = 4,
                                                  .consumer_warpgroups = 3,
                                                  .producer_registers = 32,
                                                  .consumer_registers = 160,
                                                  .scores_ahead = 4,
                                                  .takes_turns = false},
                                                 {.head_dim = 128,
                                                  .tile_m = 128,
                                                  .tile_n = 192,
                                                  .stages = 3,
                                                  .consumer_warpgroups = 2,
                                                  .producer_registers = 24,
                                                  .consumer_registers = 240,
                                                  .scores_ahead = 8},
                                                 {.head_dim = 256,
                                                  .tile_m = 128,
                                                  .tile_n = 128,
                                                  .stages = 3,
                                                  .consumer_warpgroups = 2,
                                                  .producer_registers = 24,
                                                  .consumer_registers = 240,
                                                  .scores_ahead = 4}}};

/// Throws at compile time for a head_dim that has no kernel.
[[nodiscard]] constexpr Config config_for(std::int64_t head_dim) {
  for (const Config& config : kConfigs) {
    if (config.head_dim == head_dim) return config;
  }
  throw "no kernel for this head_dim";
}

constexpr bool is_consistent(const Config& c) {
  // Producer and consumers share what the launch allocated: 65536 registers over all threads.
  const int registers = 128 * (c.producer_registers + c.consumer_warpgroups * c.consumer_registers);
  return registers <= 65536 && c.tile_m == 64 * c.consumer_warpgroups && c.tile_n % 32 == 0 &&
         c.shared_memory_bytes() <= 227 * 1024;
}

static_assert(is_consistent(kConfigs[0]) && is_consistent(kConfigs[1]) &&
              is_consistent(kConfigs[2]));

/// One compiled kernel, as a type, since nvcc cannot name a Config as a kernel's template argument.
/// kElementType is that of the output.
template <int kHeadDim, ptx::Element kElementType, bool kCausal>
struct Instance {
  static constexpr Config kConfig = config_for(kHeadDim);
  static constexpr ptx::Element kElement = kElementType;
  static constexpr bool kIsCausal = kCausal;
};

}  // namespace fa3prof::kernels::fa3_fp8
