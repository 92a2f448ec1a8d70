// Tiles, pipeline and registers of the FA3-style kernel for e4m3. Plain C++: the host, the device
// and the tests that compare with configs/pipelines read the same numbers.
#pragma once

#include "kernels/ptx/element.h"
#include "kernels/quantize/layout.h"

#include <cstdint>

namespace fa3prof::kernels::fa3_fp8 {

/// Where the largest weight of a row (a probability times the factor of its V) is cast in the first
/// block, where one that exceeds the top later on, and the top, as powers of two:
/// kernels/fa3_fp8/softmax.cuh.
inline constexpr int kWeightStartLog2 = 5;
inline constexpr int kWeightRaisedLog2 = 8;
inline constexpr float kWeightTopLog2 = 8.75F;

/// One compiled kernel.
struct Config {
  int head_dim;
  int consumer_warpgroups;
  int tile_n;               ///< keys of a block, which share a scale of K and one of V
  int stages;               ///< shared-memory buffers of K and of V
  int scores_ahead;         ///< per thread, whose exponentials run beside the check of the limit
  bool takes_turns = true;  ///< consumer warpgroups issue their GEMMs in turn
  bool exponentiates_early = true;  ///< before P V of the block before is waited for, not after
  bool sums_in_gemm = false;        ///< row sums come with P V, from channels of ones beside V's
  int polynomial_every = 0;  ///< of so many exponentials one is left to the FMA pipe; 0: none
  bool flushes = false;      ///< P V of each key block is added to O in float32, outside of WGMMA
  int tile_m = 64 * consumer_warpgroups;                        ///< query rows of a CTA
  int producer_registers = consumer_warpgroups == 2 ? 24 : 32;  ///< per thread after setmaxnreg
  int consumer_registers = consumer_warpgroups == 2 ? 240 : 160;

  bool operator==(const Config&) const = default;

  /// Scores of a block are issued before P V of the one before.
  static constexpr bool overlaps = true;

  [[nodiscard]] constexpr int threads() const { return 128 * (consumer_warpgroups + 1); }

  /// Of Q, K and V in memory.
  [[nodiscard]] constexpr quantize::Tiles tiles() const {
    return {.query_rows = tile_m, .keys = tile_n, .value_channels = value_channels()};
  }

  /// Keys of a slab of transposed V, as wide as a swizzle pattern can be.
  [[nodiscard]] constexpr int slab_keys() const { return quantize::swizzle_bytes(tile_n); }

  /// Of V in shared memory.
  [[nodiscard]] constexpr int value_channels() const {
    return head_dim + (sums_in_gemm ? quantize::kSumChannels : 0);
  }

  /// Q, the stages of K and V, and what the barriers take up to the next KiB.
  [[nodiscard]] constexpr int shared_memory_bytes() const {
    return tile_m * head_dim + stages * tile_n * (head_dim + value_channels()) + 1024;
  }
};

/// The exponentials are the limit: turns would only make them wait, and additions delay them.
inline constexpr Config kHeadDim64{.head_dim = 64,
                                   .consumer_warpgroups = 3,
                                   .tile_n = 128,
                                   .stages = 4,
                                   .scores_ahead = 1,
                                   .takes_turns = false,
                                   .exponentiates_early = false,
                                   .sums_in_gemm = true,
                                   .polynomial_every = 16};

/// Exponentials take as long as both GEMMs. Three warpgroups hide more of them than the longer key
/// blocks of two save.
inline constexpr Config kHeadDim128{.head_dim = 128,
                                    .consumer_warpgroups = 3,
                                    .tile_n = 96,
                                    .stages = 4,
                                    .scores_ahead = 1,
                                    .takes_turns = false,
                                    .exponentiates_early = false,
                                    .sums_in_gemm = true,
                                    .polynomial_every = 16};

/// The second accumulator leaves registers for 128 keys.
inline constexpr Config kHeadDim128Flushing{.head_dim = 128,
                                            .consumer_warpgroups = 2,
                                            .tile_n = 128,
                                            .stages = 4,
                                            .scores_ahead = 8,
                                            .flushes = true};

inline constexpr Config kHeadDim256{
    .head_dim = 256, .consumer_warpgroups = 2, .tile_n = 128, .stages = 3, .scores_ahead = 4};

/// Which of the kernels. Only head_dim 128 has one that flushes.
struct Choice {
  std::int64_t head_dim = 128;
  bool flushes = false;
};

/// Throws at compile time for a choice that has no kernel.
[[nodiscard]] constexpr Config config_for(const Choice& choice) {
  if (choice.flushes && choice.head_dim == 128) return kHeadDim128Flushing;
  if (!choice.flushes && choice.head_dim == 64) return kHeadDim64;
  if (!choice.flushes && choice.head_dim == 128) return kHeadDim128;
  if (!choice.flushes && choice.head_dim == 256) return kHeadDim256;
  throw "no kernel for this head_dim";
}

constexpr bool is_consistent(const Config& c) {
  // Producer and consumers share what the launch allocated: 65536 registers over all threads.
  const int registers = 128 * (c.producer_registers + c.consumer_warpgroups * c.consumer_registers);
  return registers <= 65536 && c.tile_m == 64 * c.consumer_warpgroups && c.tile_n % 32 == 0 &&
         c.shared_memory_bytes() <= 227 * 1024;
}

static_assert(is_consistent(kHeadDim64) && is_consistent(kHeadDim128) &&
              is_consistent(kHeadDim256) && is_consistent(kHeadDim128Flushing));

/// One compiled kernel, as a type, since nvcc cannot name a Config as a kernel's template argument.
/// kElementType is that of the output.
template <int kHeadDim, ptx::Element kElementType, bool kCausal, bool kFlushes>
struct Instance {
  static constexpr Config kConfig = config_for({kHeadDim, kFlushes});
  static constexpr ptx::Element kElement = kElementType;
  static constexpr bool kIsCausal = kCausal;
};

}  // namespace fa3prof::kernels::fa3_fp8
