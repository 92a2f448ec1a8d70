// The launcher and the kernel itself for the FA3-style kernel for e4m3: see kernel.h for the
// algorithm. Each instances_*.cu compiles the kernels of one head_dim, so that they build in
// parallel.
#pragma once

#include "kernels/fa3_fp8/config.h"
#include "kernels/fa3_fp8/consumer.cuh"
#include "kernels/fa3_fp8/kernel.h"
#include "kernels/fa3_fp8/producer.cuh"
#include "kernels/fa3_fp8/storage.cuh"
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/ptx/warpgroup.cuh"
#include "kernels/runtime/cuda_check.h"
#include "kernels/runtime/launch.h"

#include <algorithm>
#include <cstdint>

namespace fa3prof::kernels::fa3_fp8 {

template <typename Instance>
__device__ __forceinline__ void initialise(SharedStorage<Instance>& shared) {
  constexpr unsigned kConsumers = Instance::kConfig.consumer_warpgroups;
  for (unsigned i = 0; i < kConsumers; ++i) {
    ptx::mbarrier_init(&shared.q_full[i], 1);
    ptx::mbarrier_init(&shared.q_empty[i], 1);
  }
  for (int stage = 0; stage < Instance::kConfig.stages; ++stage) {
    ptx::mbarrier_init(&shared.k_full[stage], 1);
    ptx::mbarrier_init(&shared.k_empty[stage], kConsumers);
    ptx::mbarrier_init(&shared.v_full[stage], 1);
    ptx::mbarrier_init(&shared.v_empty[stage], kConsumers);
  }
  ptx::mbarrier_init(&shared.tile_full, 1);
  ptx::mbarrier_init(&shared.tile_empty, kConsumers * kWarpgroupThreads / 32);
  ptx::fence_mbarrier_init();
}

template <typename Instance>
__global__ void __launch_bounds__(Instance::kConfig.threads(), 1) attention(const Parameters p) {
  extern __shared__ __align__(1024) unsigned char raw_shared[];
  auto& shared = *reinterpret_cast<SharedStorage<Instance>*>(raw_shared);
  if (threadIdx.x == 0) initialise<Instance>(shared);
  __syncthreads();

  // The shuffle tells the compiler that the role is the same for the whole warp.
  const int warpgroup =
      __shfl_sync(0xffffffffU, static_cast<int>(threadIdx.x) / kWarpgroupThreads, 0);
  if (warpgroup == 0) {
    ptx::setmaxnreg_dec<Instance::kConfig.producer_registers>();
    if (threadIdx.x / 32 == 0 && ptx::elect_sync()) Producer<Instance>(shared, p).run();
  } else {
    ptx::setmaxnreg_inc<Instance::kConfig.consumer_registers>();
    Consumer<Instance>(shared, p, warpgroup - 1).run();
  }
}

template <typename Instance>
const void* function() {
  static_assert(sizeof(SharedStorage<Instance>) == Instance::kConfig.shared_memory_bytes());
  return reinterpret_cast<const void*>(attention<Instance>);
}

/// Tiles by what they read: one byte an element.
[[nodiscard]] inline tile::TileOrder tile_order(core::AttentionProblem problem, int tile_m) {
  problem.dtype = core::DataType::kFloat8E4M3;
  return tile::tile_order(problem, tile_m);
}

template <typename Instance>
LaunchDescription describe_instance(const core::AttentionProblem& problem) {
  LaunchDescription description =
      describe_kernel(function<Instance>(), Instance::kConfig, sizeof(SharedStorage<Instance>));
  description.grid =
      std::min(multiprocessors(), tile_order(problem, Instance::kConfig.tile_m).tiles);
  description.tile.slab_m = kWarpgroupRows;
  description.is_persistent = true;
  return description;
}

template <typename Instance>
void launch_instance(const core::AttentionProblem& problem, const AttentionTensors& tensors,
                     cudaStream_t stream) {
  constexpr Config kConfig = Instance::kConfig;
  const auto count = [](std::int64_t rows, int unit) {
    return static_cast<int>((rows + unit - 1) / unit);
  };
  const Parameters parameters{
      .inputs = tensors.quantized,
      .o = static_cast<std::uint16_t*>(tensors.o),
      .lse = tensors.lse,
      .o_strides = tensors.o_strides,
      .seqlen_q = static_cast<int>(problem.seqlen_q),
      .seqlen_kv = static_cast<int>(problem.seqlen_kv),
      .query_rows = static_cast<int>(quantize::padded(problem.seqlen_q, kConfig.tile_m)),
      .query_scales = count(problem.seqlen_q, quantize::kQueryScaleRows),
      .key_blocks = count(problem.seqlen_kv, kConfig.tile_n),
      .heads_per_kv_head =
          tile::Divisor(static_cast<int>(problem.num_heads / problem.num_heads_kv)),
      .heads_kv = static_cast<int>(problem.num_heads_kv),
      .scale_log2 = tensors.softmax_scale * kLog2E,
      .order = tile_order(problem, kConfig.tile_m),
      .tile_counter = static_cast<unsigned*>(tensors.workspace)};
  allow_shared_memory(function<Instance>(), sizeof(SharedStorage<Instance>));
  const int grid = std::min(multiprocessors(), parameters.order.tiles);
  attention<Instance>
      <<<grid, kConfig.threads(), sizeof(SharedStorage<Instance>), stream>>>(parameters);
  cuda_check(cudaGetLastError());
}

/// Picks the instance of kHeadDim that serves the problem and calls `use` with it.
template <int kHeadDim, typename Use>
auto with_instance(const core::AttentionProblem& problem, Use use) {
  using enum ptx::Element;
  if (problem.dtype == core::DataType::kBFloat16) {
    return problem.is_causal ? use(Instance<kHeadDim, kBf16, true>{})
                             : use(Instance<kHeadDim, kBf16, false>{});
  }
  return problem.is_causal ? use(Instance<kHeadDim, kF16, true>{})
                           : use(Instance<kHeadDim, kF16, false>{});
}

template <int kHeadDim>
LaunchDescription describe_head_dim(const core::AttentionProblem& problem) {
  return with_instance<kHeadDim>(problem,
                                 [&]<typename I>(I) { return describe_instance<I>(problem); });
}

template <int kHeadDim>
void launch_head_dim(const core::AttentionProblem& problem, const AttentionTensors& tensors,
                     cudaStream_t stream) {
  with_instance<kHeadDim>(problem,
                          [&]<typename I>(I) { launch_instance<I>(problem, tensors, stream); });
}

}  // namespace fa3prof::kernels::fa3_fp8
