// Tile, pipeline and register budget of the FA3-style FP16 kernel. Plain C++: the host, the device
// and the tests that compare with configs/pipelines/fa3_fp16.json read the same numbers.
#pragma once

#include "src/core/attention_problem.h"

#include <cstdint>

namespace fa3prof::kernels::fa3_fp16 {

/// One instance of the kernel.
struct Config {
  int head_dim;
  int tile_m;  ///< query rows of a CTA: 64 for each consumer warpgroup
  int tile_n;  ///< keys of a block
  int stages;  ///< shared-memory buffers of K and of V
  int consumer_warpgroups;
  int producer_registers;  ///< per thread after setmaxnreg
  int consumer_registers;

  [[nodiscard]] constexpr int threads() const { return 128 * (1 + consumer_warpgroups); }
};

/// Non-causal: 176 keys is the widest block whose scores, probabilities and output fit the register
/// file together with two stages in shared memory. Causal: blocks of 128 waste less work along the
/// diagonal than they lose in per-block cost.
inline constexpr Config kHeadDim128{.head_dim = 128,
                                    .tile_m = 128,
                                    .tile_n = 176,
                                    .stages = 2,
                                    .consumer_warpgroups = 2,
                                    .producer_registers = 24,
                                    .consumer_registers = 240};
inline constexpr Config kHeadDim128Causal{.head_dim = 128,
                                          .tile_m = 128,
                                          .tile_n = 128,
                                          .stages = 2,
                                          .consumer_warpgroups = 2,
                                          .producer_registers = 24,
                                          .consumer_registers = 240};

/// The instances as types, since nvcc cannot name a Config as a kernel's template argument.
struct HeadDim128 {
  static constexpr Config kConfig = kHeadDim128;
  static constexpr bool kIsCausal = false;
};

struct HeadDim128Causal {
  static constexpr Config kConfig = kHeadDim128Causal;
  static constexpr bool kIsCausal = true;
};

/// The instance that serves `problem`, whose head_dim must be 128.
[[nodiscard]] constexpr Config config_for(const core::AttentionProblem& problem) {
  return problem.is_causal ? kHeadDim128Causal : kHeadDim128;
}

/// Producer and consumers share what the launch allocated: 65536 registers over all threads.
constexpr bool fits_register_file(const Config& c) {
  return 128 * (c.producer_registers + c.consumer_warpgroups * c.consumer_registers) <= 65536;
}

static_assert(fits_register_file(kHeadDim128) && fits_register_file(kHeadDim128Causal));
static_assert(kHeadDim128.tile_m == 64 * kHeadDim128.consumer_warpgroups);
static_assert(kHeadDim128Causal.tile_m == 64 * kHeadDim128Causal.consumer_warpgroups);

}  // namespace fa3prof::kernels::fa3_fp16
