// Tiles, pipeline and registers of the FA3-style kernel for 16-bit inputs. Plain C++: the host, the
// device and the tests that compare with configs/pipelines read the same numbers.
#pragma once

#include "kernels/ptx/element.h"
#include "src/core/attention_problem.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace fa3prof::kernels::fa3_fp16 {

/// Which of the mechanisms of FlashAttention-3 a kernel has.
enum class Schedule {
  kSerial,           ///< none: each warpgroup loads for itself, multiplies, then does its softmax
  kWarpSpecialized,  ///< a producer warp loads
  kPingPong,         ///< and the consumer warpgroups take turns at issuing their GEMMs
  kOverlap,          ///< no producer: softmax of a block under the warpgroup's own P V before it
  kFull,             ///< producer, turns and overlap
};

/// The names that the kernels of the schedules have in core::attention_kernels().
struct NamedSchedule {
  std::string_view kernel;
  Schedule schedule;
};

inline constexpr std::array<NamedSchedule, 5> kSchedules{{{"fa3", Schedule::kFull},
                                                          {"fa3-serial", Schedule::kSerial},
                                                          {"fa3-ws", Schedule::kWarpSpecialized},
                                                          {"fa3-pingpong", Schedule::kPingPong},
                                                          {"fa3-overlap", Schedule::kOverlap}}};

/// The kernel for one head_dim and schedule.
struct Config {
  int head_dim;
  int tile_m;  ///< query rows of a CTA: 64 for each consumer warpgroup
  int tile_n;  ///< keys of a block
  int stages;  ///< shared-memory buffers of K and of V
  int consumer_warpgroups;
  int producer_registers;  ///< per thread after setmaxnreg
  int consumer_registers;
  int scores_ahead;  ///< per thread, whose exponentials run beside the check of the maximum
  bool keeps_maximum = false;  ///< probabilities are relative to it, not to a reference near it
  bool specializes_warps = true;
  bool takes_turns = true;
  bool overlaps = true;

  [[nodiscard]] constexpr int threads() const {
    return 128 * (consumer_warpgroups + (specializes_warps ? 1 : 0));
  }

  /// Q, the stages of K and V, and what the barriers take up to the next KiB.
  [[nodiscard]] constexpr int shared_memory_bytes() const {
    return (tile_m + 2 * stages * tile_n) * head_dim * 2 + 1024;
  }
};

/// head_dim 64: the exponentials take as long as the GEMMs, so three warpgroups share them.
/// head_dim 256: 80 keys is what shared memory holds twice, and beside its GEMMs the maximum costs
/// nothing.
inline constexpr std::array<Config, 3> kConfigs{{{.head_dim = 64,
                                                  .tile_m = 192,
                                                  .tile_n = 128,
                                                  .stages = 3,
                                                  .consumer_warpgroups = 3,
                                                  .producer_registers = 32,
                                                  .consumer_registers = 160,
                                                  .scores_ahead = 4},
                                                 {.head_dim = 128,
                                                  .tile_m = 128,
                                                  .tile_n = 128,
                                                  .stages = 3,
                                                  .consumer_warpgroups = 2,
                                                  .producer_registers = 24,
                                                  .consumer_registers = 240,
                                                  .scores_ahead = 8},
                                                 {.head_dim = 256,
                                                  .tile_m = 128,
                                                  .tile_n = 80,
                                                  .stages = 2,
                                                  .consumer_warpgroups = 2,
                                                  .producer_registers = 24,
                                                  .consumer_registers = 240,
                                                  .scores_ahead = 4,
                                                  .keeps_maximum = true}}};

/// Without a producer warp all warps share the registers alike, and setmaxnreg is not used.
[[nodiscard]] constexpr Config with_schedule(Config config, Schedule schedule) {
  using enum Schedule;
  config.specializes_warps = schedule != kSerial && schedule != kOverlap;
  config.takes_turns = schedule == kPingPong || schedule == kFull;
  config.overlaps = schedule == kOverlap || schedule == kFull;
  if (!config.specializes_warps) {
    config.producer_registers = 0;
    config.consumer_registers = config.consumer_warpgroups == 2 ? 255 : 168;
  }
  return config;
}

/// Throws at compile time for a head_dim that has no kernel.
[[nodiscard]] constexpr Config config_for(std::int64_t head_dim, Schedule schedule) {
  for (const Config& config : kConfigs) {
    if (config.head_dim == head_dim) return with_schedule(config, schedule);
  }
  throw "no kernel for this head_dim";
}

constexpr bool is_consistent(const Config& c) {
  // Producer and consumers share what the launch allocated: 65536 registers over all threads.
  const int registers = 128 * (c.producer_registers + c.consumer_warpgroups * c.consumer_registers);
  return registers <= 65536 && c.tile_m == 64 * c.consumer_warpgroups && c.tile_n % 16 == 0 &&
         c.shared_memory_bytes() <= 227 * 1024;
}

static_assert(is_consistent(kConfigs[0]) && is_consistent(kConfigs[1]) &&
              is_consistent(kConfigs[2]));

/// One compiled kernel, as a type, since nvcc cannot name a Config as a kernel's template argument.
template <int kHeadDim, ptx::Element kElementType, bool kCausal, Schedule kSchedule>
struct Instance {
  static constexpr Config kConfig = config_for(kHeadDim, kSchedule);
  static constexpr ptx::Element kElement = kElementType;
  static constexpr bool kIsCausal = kCausal;
};

}  // namespace fa3prof::kernels::fa3_fp16
