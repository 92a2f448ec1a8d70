// The launcher and the kernel itself for the FA3-style kernel for e4m3: see kernel.h for the
// algorithm. Each instances_*.cu compiles the kernels of one head_dim, so that they build in
// parallel.
#pragma once

#include "kernels/fa3/launch.cuh"
#include "kernels/fa3/producer.cuh"
#include "kernels/fa3_fp8/config.h"
#include "kernels/fa3_fp8/consumer.cuh"
#include "kernels/fa3_fp8/kernel.h"
#include "kernels/fa3_fp8/loader.cuh"
#include "kernels/fa3_fp8/storage.cuh"
#include "kernels/ptx/warpgroup.cuh"
#include "kernels/runtime/cuda_check.h"
#include "kernels/runtime/launch.h"

#include <algorithm>
#include <cstdint>

namespace fa3prof::kernels::fa3_fp8 {

/// The producer thread.
template <typename Instance>
__device__ __forceinline__ void produce(SharedStorage<Instance>& shared,
                                        const fa3::ParametersOf<Instance, Parameters>& p) {
  using Producer = fa3::Producer<Instance, SharedStorage<Instance>, Loader<Instance>>;
  Producer producer(shared, p, Loader<Instance>(shared, p));
  if constexpr (!fa3::kIsTraced<Instance>) {
    producer.run({});
  } else {
    const fa3::RingPlace place = fa3::ring_place(p);
    if (place.cta < 0) {
      using Untraced = typename Instance::Untraced;
      produce<Untraced>(reinterpret_cast<SharedStorage<Untraced>&>(shared), p);
    } else {
      producer.run(place);
    }
  }
}

/// A consumer warpgroup. Where the CTA is not traced it runs the timed kernel's code.
template <typename Instance>
__device__ __forceinline__ void consume(SharedStorage<Instance>& shared,
                                        const fa3::ParametersOf<Instance, Parameters>& p,
                                        int warpgroup) {
  if constexpr (!fa3::kIsTraced<Instance>) {
    Consumer<Instance>(shared, p, warpgroup).run({});
  } else {
    const fa3::RingPlace place = fa3::ring_place(p);
    if (place.cta < 0) {
      using Untraced = typename Instance::Untraced;
      consume<Untraced>(reinterpret_cast<SharedStorage<Untraced>&>(shared), p, warpgroup);
    } else {
      Consumer<Instance>(shared, p, warpgroup).run(place);
    }
    fa3::stamp_end(p);
  }
}

template <typename Instance>
__global__ void __launch_bounds__(Instance::kConfig.threads(), 1)
    attention(const fa3::ParametersOf<Instance, Parameters> p) {
  extern __shared__ __align__(1024) unsigned char raw_shared[];
  auto& shared = *reinterpret_cast<SharedStorage<Instance>*>(raw_shared);
  if (threadIdx.x == 0) {
    fa3::stamp_begin<Instance>(p);
    shared.initialise_barriers();
  }
  __syncthreads();

  // The shuffle tells the compiler that the role is the same for the whole warp.
  const int warpgroup =
      __shfl_sync(0xffffffffU, static_cast<int>(threadIdx.x) / fa3::kWarpgroupThreads, 0);
  if (warpgroup == 0) {
    ptx::setmaxnreg_dec<Instance::kConfig.producer_registers>();
    if (threadIdx.x / 32 == 0 && ptx::elect_sync()) produce<Instance>(shared, p);
  } else {
    ptx::setmaxnreg_inc<Instance::kConfig.consumer_registers>();
    consume<Instance>(shared, p, warpgroup - 1);
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
  constexpr Config kConfig = Instance::kConfig;
  LaunchDescription description =
      fa3::describe(function<Instance>(), kConfig, sizeof(SharedStorage<Instance>),
                    tile_order(problem, kConfig.tile_m).tiles);
  if (kConfig.sums_in_gemm) description.tile.value_channels = kConfig.value_channels();
  return description;
}

template <typename Instance>
Parameters parameters_of(const core::AttentionProblem& problem, const AttentionTensors& tensors) {
  constexpr Config kConfig = Instance::kConfig;
  const auto count = [](std::int64_t rows, int unit) {
    return static_cast<int>((rows + unit - 1) / unit);
  };
  return {fa3::parameters_of(problem, tensors, tile_order(problem, kConfig.tile_m)),
          tensors.quantized,
          static_cast<int>(quantize::padded(problem.seqlen_q, kConfig.tile_m)),
          count(problem.seqlen_q, quantize::kQueryScaleRows),
          count(problem.seqlen_kv, kConfig.tile_n),
          static_cast<int>(problem.num_heads_kv)};
}

template <typename Instance>
void launch_with(const fa3::ParametersOf<Instance, Parameters>& parameters, cudaStream_t stream) {
  allow_shared_memory(function<Instance>(), sizeof(SharedStorage<Instance>));
  const int grid = std::min(multiprocessors(), parameters.order.tiles);
  attention<Instance>
      <<<grid, Instance::kConfig.threads(), sizeof(SharedStorage<Instance>), stream>>>(parameters);
  cuda_check(cudaGetLastError());
}

template <typename Instance>
void launch_instance(const core::AttentionProblem& problem, const AttentionTensors& tensors,
                     cudaStream_t stream) {
  launch_with<Instance>(parameters_of<Instance>(problem, tensors), stream);
}

/// Picks the instance of kHeadDim that serves the problem and calls `use` with it.
template <int kHeadDim, bool kFlushes, typename Use>
auto with_instance(const core::AttentionProblem& problem, Use use) {
  // The type of O bears neither on what flushing costs nor on what it brings: one type has it.
  return fa3::with_type_and_mask<!kFlushes>(problem, [&]<ptx::Element kElement, bool kCausal>() {
    return use(Instance<kHeadDim, kElement, kCausal, kFlushes>{});
  });
}

template <int kHeadDim, bool kFlushes>
LaunchDescription describe_head_dim(const core::AttentionProblem& problem) {
  return with_instance<kHeadDim, kFlushes>(
      problem, [&]<typename I>(I) { return describe_instance<I>(problem); });
}

template <int kHeadDim, bool kFlushes>
void launch_head_dim(const core::AttentionProblem& problem, const AttentionTensors& tensors,
                     cudaStream_t stream) {
  with_instance<kHeadDim, kFlushes>(
      problem, [&]<typename I>(I) { launch_instance<I>(problem, tensors, stream); });
}

/// For outputs in fp16, which take as long as those in bf16.
template <int kHeadDim>
void launch_traced_head_dim(const core::AttentionProblem& problem, const AttentionTensors& tensors,
                            const TraceRings& rings, cudaStream_t stream) {
  fa3::with_type_and_mask<false>(problem, [&]<ptx::Element kElement, bool kCausal>() {
    using Timed = Instance<kHeadDim, kElement, kCausal, false>;
    launch_with<fa3::Traced<Timed>>({parameters_of<Timed>(problem, tensors), rings}, stream);
  });
}

}  // namespace fa3prof::kernels::fa3_fp8
