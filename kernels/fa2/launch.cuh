// The launcher and the kernel itself for the FA2-style kernel: see kernel.h for the algorithm. Each
// instances_*.cu compiles the kernels of one head_dim, so that they build in parallel.
#pragma once

#include "kernels/fa2/config.h"
#include "kernels/fa2/kernel.h"
#include "kernels/fa2/query_tile.cuh"
#include "kernels/fa2/storage.cuh"
#include "kernels/runtime/cuda_check.h"
#include "kernels/runtime/launch.h"
#include "kernels/tile/scheduler.cuh"

#include <cstdint>

namespace fa3prof::kernels::fa2 {

template <typename Instance>
__global__ void __launch_bounds__(Instance::kConfig.threads(), Instance::kConfig.ctas_per_sm)
    attention(const Parameters p) {
  extern __shared__ __align__(1024) unsigned char raw_shared[];
  QueryTile<Instance>(p, static_cast<std::uint32_t>(__cvta_generic_to_shared(raw_shared))).run();
}

template <typename Instance>
const void* function() {
  return reinterpret_cast<const void*>(attention<Instance>);
}

template <typename Instance>
LaunchDescription describe_instance(const core::AttentionProblem& problem) {
  LaunchDescription description =
      describe_kernel(function<Instance>(), Instance::kConfig, sizeof(SharedStorage<Instance>));
  description.grid = tile::tile_order(problem, Instance::kConfig.tile_m).tiles;
  description.is_persistent = false;
  return description;
}

template <typename Instance>
void launch_instance(const core::AttentionProblem& problem, const AttentionTensors& tensors,
                     cudaStream_t stream) {
  const Parameters parameters{.tensors = tensors,
                              .seqlen_q = static_cast<int>(problem.seqlen_q),
                              .seqlen_kv = static_cast<int>(problem.seqlen_kv),
                              .heads_per_kv_head = tile::Divisor(
                                  static_cast<int>(problem.num_heads / problem.num_heads_kv)),
                              .is_causal = problem.is_causal,
                              .scale_log2 = tensors.softmax_scale * kLog2E,
                              .order = tile::tile_order(problem, Instance::kConfig.tile_m)};
  allow_shared_memory(function<Instance>(), sizeof(SharedStorage<Instance>));
  attention<Instance><<<static_cast<unsigned>(parameters.order.tiles), Instance::kConfig.threads(),
                        sizeof(SharedStorage<Instance>), stream>>>(parameters);
  cuda_check(cudaGetLastError());
}

/// Calls `use` with the instance for `problem` of this head_dim.
template <int kHeadDim, typename Use>
auto with_instance(const core::AttentionProblem& problem, Use use) {
  if (problem.dtype == core::DataType::kFloat16) {
    return use(Instance<kHeadDim, ptx::Element::kF16>{});
  }
  return use(Instance<kHeadDim, ptx::Element::kBf16>{});
}

template <int kHeadDim>
LaunchDescription describe_head_dim(const core::AttentionProblem& problem) {
  return with_instance<kHeadDim>(
      problem, [&]<typename Instance>(Instance) { return describe_instance<Instance>(problem); });
}

template <int kHeadDim>
void launch_head_dim(const core::AttentionProblem& problem, const AttentionTensors& tensors,
                     cudaStream_t stream) {
  with_instance<kHeadDim>(problem, [&]<typename Instance>(Instance) {
    launch_instance<Instance>(problem, tensors, stream);
  });
}

}  // namespace fa3prof::kernels::fa2
