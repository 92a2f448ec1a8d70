// What the launchers of the FA3-style kernels do alike.
#pragma once

#include "kernels/fa3/tile_work.cuh"
#include "kernels/ptx/element.h"
#include "kernels/runtime/launch.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace fa3prof::kernels::fa3 {

/// A persistent kernel with this many tiles to do.
template <typename Config>
[[nodiscard]] LaunchDescription describe(const void* function, const Config& config,
                                         std::size_t shared_memory_bytes, int tiles) {
  LaunchDescription description = describe_kernel(function, config, shared_memory_bytes);
  description.grid = std::min(multiprocessors(), tiles);
  description.tile.slab_m = kWarpgroupRows;
  description.is_persistent = true;
  return description;
}

[[nodiscard]] inline Parameters parameters_of(const core::AttentionProblem& problem,
                                              const AttentionTensors& tensors,
                                              const tile::TileOrder& order) {
  return {.o = static_cast<std::uint16_t*>(tensors.o),
          .lse = tensors.lse,
          .o_strides = tensors.o_strides,
          .seqlen_q = static_cast<int>(problem.seqlen_q),
          .seqlen_kv = static_cast<int>(problem.seqlen_kv),
          .heads_per_kv_head =
              tile::Divisor(static_cast<int>(problem.num_heads / problem.num_heads_kv)),
          .scale_log2 = tensors.softmax_scale * kLog2E,
          .order = order,
          .tile_counter = static_cast<unsigned*>(tensors.workspace)};
}

/// Calls `use` with the problem's 16-bit type and its mask as constants; BF16 only where it has a
/// kernel.
template <bool kHasBf16, typename Use>
auto with_type_and_mask(const core::AttentionProblem& problem, Use use) {
  using enum ptx::Element;
  if constexpr (kHasBf16) {
    if (problem.dtype == core::DataType::kBFloat16) {
      return problem.is_causal ? use.template operator()<kBf16, true>()
                               : use.template operator()<kBf16, false>();
    }
  }
  return problem.is_causal ? use.template operator()<kF16, true>()
                           : use.template operator()<kF16, false>();
}

}  // namespace fa3prof::kernels::fa3
