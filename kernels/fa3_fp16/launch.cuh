// The launcher and the kernel itself for the FA3-style kernel: see kernel.h for the algorithm. Each
// instances_*.cu compiles the kernels of one head_dim, so that they build in parallel.
#pragma once

#include "kernels/fa3/launch.cuh"
#include "kernels/fa3/producer.cuh"
#include "kernels/fa3_fp16/config.h"
#include "kernels/fa3_fp16/consumer.cuh"
#include "kernels/fa3_fp16/kernel.h"
#include "kernels/fa3_fp16/storage.cuh"
#include "kernels/ptx/warpgroup.cuh"
#include "kernels/runtime/cuda_check.h"
#include "kernels/runtime/launch.h"
#include "kernels/runtime/tensor_map.h"
#include "kernels/tile/scheduler.cuh"

#include <algorithm>
#include <cstdint>

namespace fa3prof::kernels::fa3_fp16 {

template <typename Instance>
__device__ __forceinline__ void initialise(SharedStorage<Instance>& shared) {
  if constexpr (!Instance::kConfig.specializes_warps) {
    for (int stage = 0; stage < Instance::kConfig.stages; ++stage) {
      shared.own.k_reads[stage] = 0;
      shared.own.v_reads[stage] = 0;
    }
  }
  shared.initialise_barriers();
}

/// The producer thread.
template <typename Instance>
__device__ __forceinline__ void produce(SharedStorage<Instance>& shared,
                                        const fa3::ParametersOf<Instance, Parameters>& p,
                                        const TensorMaps& maps) {
  using Producer = fa3::Producer<Instance, SharedStorage<Instance>, Loader<Instance>>;
  Producer producer(shared, p, Loader<Instance>(shared, p, maps));
  if constexpr (!fa3::kIsTraced<Instance>) {
    producer.run({});
  } else {
    const fa3::RingPlace place = fa3::ring_place(p);
    if (place.cta < 0) {
      using Untraced = typename Instance::Untraced;
      produce<Untraced>(reinterpret_cast<SharedStorage<Untraced>&>(shared), p, maps);
    } else {
      producer.run(place);
    }
  }
}

/// A consumer warpgroup. Where the CTA is not traced it runs the timed kernel's code.
template <typename Instance>
__device__ __forceinline__ void consume(SharedStorage<Instance>& shared,
                                        const fa3::ParametersOf<Instance, Parameters>& p,
                                        const TensorMaps& maps, int warpgroup) {
  if constexpr (!fa3::kIsTraced<Instance>) {
    Consumer<Instance>(shared, p, maps, warpgroup).run({});
  } else {
    const fa3::RingPlace place = fa3::ring_place(p);
    if (place.cta < 0) {
      using Untraced = typename Instance::Untraced;
      consume<Untraced>(reinterpret_cast<SharedStorage<Untraced>&>(shared), p, maps, warpgroup);
    } else {
      Consumer<Instance>(shared, p, maps, warpgroup).run(place);
    }
    fa3::stamp_end(p);
  }
}

template <typename Instance>
__global__ void __launch_bounds__(Instance::kConfig.threads(), 1)
    attention(const fa3::ParametersOf<Instance, Parameters> p,
              const __grid_constant__ CUtensorMap q_map, const __grid_constant__ CUtensorMap k_map,
              const __grid_constant__ CUtensorMap v_map) {
  extern __shared__ __align__(1024) unsigned char raw_shared[];
  auto& shared = *reinterpret_cast<SharedStorage<Instance>*>(raw_shared);
  if (threadIdx.x == 0) {
    fa3::stamp_begin<Instance>(p);
    initialise<Instance>(shared);
  }
  __syncthreads();

  const TensorMaps maps{q_map, k_map, v_map};
  // The shuffle tells the compiler that the role is the same for the whole warp.
  const int warpgroup =
      __shfl_sync(0xffffffffU, static_cast<int>(threadIdx.x) / fa3::kWarpgroupThreads, 0);
  if constexpr (!Instance::kConfig.specializes_warps) {
    consume<Instance>(shared, p, maps, warpgroup);
  } else if (warpgroup == 0) {
    ptx::setmaxnreg_dec<Instance::kConfig.producer_registers>();
    if (threadIdx.x / 32 == 0 && ptx::elect_sync()) {
      produce<Instance>(shared, p, maps);
    }
  } else {
    ptx::setmaxnreg_inc<Instance::kConfig.consumer_registers>();
    consume<Instance>(shared, p, maps, warpgroup - 1);
  }
}

template <typename Instance>
const void* function() {
  static_assert(sizeof(SharedStorage<Instance>) == Instance::kConfig.shared_memory_bytes());
  return reinterpret_cast<const void*>(attention<Instance>);
}

template <typename Instance>
LaunchDescription describe_instance(const core::AttentionProblem& problem) {
  return fa3::describe(function<Instance>(), Instance::kConfig, sizeof(SharedStorage<Instance>),
                       tile::tile_order(problem, Instance::kConfig.tile_m).tiles);
}

template <typename Instance>
[[nodiscard]] Parameters parameters_of(const core::AttentionProblem& problem,
                                       const AttentionTensors& tensors) {
  return fa3::parameters_of(problem, tensors, tile::tile_order(problem, Instance::kConfig.tile_m));
}

template <typename Instance>
void launch_with(const fa3::ParametersOf<Instance, Parameters>& parameters,
                 const core::AttentionProblem& problem, const AttentionTensors& tensors,
                 cudaStream_t stream) {
  const auto map_of = [&](const void* base, const Strides& strides, bool is_query) {
    return make_tile_map({.base = base,
                          .strides = strides,
                          .batch = problem.batch,
                          .seqlen = is_query ? problem.seqlen_q : problem.seqlen_kv,
                          .heads = is_query ? problem.num_heads : problem.num_heads_kv,
                          .head_dim = Instance::kConfig.head_dim,
                          .tile_rows = is_query ? kWarpgroupRows : Instance::kConfig.tile_n});
  };
  allow_shared_memory(function<Instance>(), sizeof(SharedStorage<Instance>));
  const int grid = std::min(multiprocessors(), parameters.order.tiles);
  attention<Instance>
      <<<grid, Instance::kConfig.threads(), sizeof(SharedStorage<Instance>), stream>>>(
          parameters, map_of(tensors.q, tensors.q_strides, true),
          map_of(tensors.k, tensors.k_strides, false), map_of(tensors.v, tensors.v_strides, false));
  cuda_check(cudaGetLastError());
}

template <typename Instance>
void launch_instance(const core::AttentionProblem& problem, const AttentionTensors& tensors,
                     cudaStream_t stream) {
  launch_with<Instance>(parameters_of<Instance>(problem, tensors), problem, tensors, stream);
}

/// Picks the instance of kHeadDim and kSchedule that serves the problem and calls `use` with it.
template <int kHeadDim, Schedule kSchedule, typename Use>
auto with_instance(const core::AttentionProblem& problem, Use use) {
  // BF16 runs as FP16 does, so what the mechanisms bring is measured with one of them.
  return fa3::with_type_and_mask<kSchedule == Schedule::kFull>(
      problem, [&]<ptx::Element kElement, bool kCausal>() {
        return use(Instance<kHeadDim, kElement, kCausal, kSchedule>{});
      });
}

template <int kHeadDim, Schedule kSchedule>
LaunchDescription describe_head_dim(const core::AttentionProblem& problem) {
  return with_instance<kHeadDim, kSchedule>(
      problem, [&]<typename I>(I) { return describe_instance<I>(problem); });
}

template <int kHeadDim, Schedule kSchedule>
void launch_head_dim(const core::AttentionProblem& problem, const AttentionTensors& tensors,
                     cudaStream_t stream) {
  with_instance<kHeadDim, kSchedule>(
      problem, [&]<typename I>(I) { launch_instance<I>(problem, tensors, stream); });
}

/// For fp16 only, which is as fast as bf16.
template <int kHeadDim, Schedule kSchedule>
void launch_traced_head_dim(const core::AttentionProblem& problem, const AttentionTensors& tensors,
                            const TraceRings& rings, cudaStream_t stream) {
  fa3::with_type_and_mask<false>(problem, [&]<ptx::Element kElement, bool kCausal>() {
    using Timed = Instance<kHeadDim, kElement, kCausal, kSchedule>;
    launch_with<fa3::Traced<Timed>>({parameters_of<Timed>(problem, tensors), rings}, problem,
                                    tensors, stream);
  });
}

}  // namespace fa3prof::kernels::fa3_fp16
