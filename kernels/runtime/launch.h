// What every launcher asks of the CUDA runtime.
#pragma once

#include "kernels/attention.h"

#include <cstddef>

namespace fa3prof::kernels {

inline constexpr float kLog2E = 1.44269504088896340736F;

/// Multiprocessors of the current device.
[[nodiscard]] int multiprocessors();

/// Allows a __global__ function more dynamic shared memory than the default 48 KiB.
void allow_shared_memory(const void* function, std::size_t bytes);

/// Threads, registers, local and shared memory and resident CTAs of a __global__ function.
[[nodiscard]] LaunchDescription describe_function(const void* function, int threads,
                                                  std::size_t shared_memory_bytes);

/// The same with the tile and stages of a kernel's Config; the grid is the caller's to fill.
template <typename Config>
[[nodiscard]] LaunchDescription describe_kernel(const void* function, const Config& config,
                                                std::size_t shared_memory_bytes) {
  LaunchDescription description =
      describe_function(function, config.threads(), shared_memory_bytes);
  description.tile = {config.tile_m, config.tile_n};
  description.stages = config.stages;
  return description;
}

}  // namespace fa3prof::kernels
