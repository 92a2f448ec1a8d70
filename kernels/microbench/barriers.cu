// Barriers inside a CTA: bar.sync of all threads, the hand-over of a turn between warpgroups by
// named barriers, and an mbarrier from its arrival to the thread that waits.
#include "kernels/microbench/benchmarks.h"
#include "kernels/microbench/launch.cuh"
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/ptx/unroll.h"
#include "kernels/ptx/warpgroup.cuh"

#include <string>

namespace fa3prof::kernels::microbench {
namespace {

constexpr int kUnrolled = 8;

__global__ void synchronize(std::uint32_t* results, int passes) {
  __syncthreads();
  const std::uint64_t begin = ptx::clock64();
  for (int pass = 0; pass < passes; ++pass) {
    FA3PROF_UNROLL
    for (int i = 0; i < kUnrolled; ++i) __syncthreads();
  }
  finish(results, begin);
}

/// The turn goes round: each warpgroup waits for its own barrier and arrives at the next one's.
__global__ void pass_turn(std::uint32_t* results, int rounds) {
  const int warpgroups = static_cast<int>(blockDim.x) / 128;
  const int warpgroup = uniform_warpgroup();
  const int own = 1 + warpgroup;
  const int next = 1 + (warpgroup + 1) % warpgroups;
  __syncthreads();
  const std::uint64_t begin = ptx::clock64();
  if (warpgroup == warpgroups - 1) ptx::bar_arrive(1, 256);
  for (int round = 0; round < rounds; ++round) {
    ptx::bar_sync(own, 256);
    if (warpgroup != warpgroups - 1 || round != rounds - 1) ptx::bar_arrive(next, 256);
  }
  finish(results, begin);
}

/// Two warps of different schedulers answer each other: one lane arrives, the other warp waits.
__global__ void answer(std::uint32_t* results, int rounds) {
  __shared__ std::uint64_t barriers[2];
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&barriers[0], 1);
    ptx::mbarrier_init(&barriers[1], 1);
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  const std::uint64_t begin = ptx::clock64();
  const unsigned warp = threadIdx.x / 32;
  for (int round = 0; round < rounds; ++round) {
    const std::uint32_t parity = static_cast<std::uint32_t>(round) & 1U;
    if (warp == 1) ptx::mbarrier_wait(&barriers[0], parity);
    if (threadIdx.x % 32 == 0) ptx::mbarrier_arrive(&barriers[warp]);
    if (warp == 0) ptx::mbarrier_wait(&barriers[1], parity);
  }
  finish(results, begin);
}

/// One thread arrives and waits for its own arrival.
__global__ void arrive_and_wait(std::uint32_t* results, int rounds) {
  __shared__ std::uint64_t barrier;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&barrier, 1);
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  const std::uint64_t begin = ptx::clock64();
  if (threadIdx.x == 0) {
    for (int round = 0; round < rounds; ++round) {
      ptx::mbarrier_arrive(&barrier);
      ptx::mbarrier_wait(&barrier, static_cast<std::uint32_t>(round) & 1U);
    }
  }
  finish(results, begin);
}

/// One thread waits for a phase that has completed.
__global__ void wait_for_nothing(std::uint32_t* results, int rounds) {
  __shared__ std::uint64_t barrier;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&barrier, 1);
    ptx::fence_mbarrier_init();
    ptx::mbarrier_arrive(&barrier);
  }
  __syncthreads();
  const std::uint64_t begin = ptx::clock64();
  for (int round = 0; round < rounds; ++round) {
    FA3PROF_UNROLL
    for (int i = 0; i < kUnrolled; ++i) ptx::mbarrier_wait(&barrier, 0);
  }
  finish(results, begin);
}

constexpr int kRounds = 128;

using Kernel = void (*)(std::uint32_t*, int);

/// Cycles of one of the `steps` that a pass of the kernel's loop has.
MeasuredPoint cycles_of(Session& session, Kernel kernel, unsigned threads, int steps) {
  auto cycles = slopes(session, session.sms(), kRounds, [&](int passes) {
    launch(session, {session.sms(), threads}, kernel, session.results(), passes);
  });
  for (double& pass : cycles) pass /= steps;
  return point(threads, cycles);
}

Series by_threads(Session& session, const std::string& name, Kernel kernel,
                  const std::vector<unsigned>& thread_counts) {
  Series series{.benchmark = "", .name = name, .axis = "threads", .unit = "cycles", .points = {}};
  for (const unsigned threads : thread_counts) {
    const int turns = static_cast<int>(threads) / 128;
    const int steps = kernel == &pass_turn ? turns : kernel == &answer ? 2 : 1;
    const bool is_unrolled = kernel == &synchronize || kernel == &wait_for_nothing;
    series.points.push_back(cycles_of(session, kernel, threads, is_unrolled ? kUnrolled : steps));
  }
  return series;
}

}  // namespace

std::vector<Series> barriers(Session& session) {
  return {by_threads(session, "cta_barrier", &synchronize, {32, 64, 128, 256, 384, 512, 1024}),
          by_threads(session, "named_barrier_turn", &pass_turn, {256, 384}),
          by_threads(session, "mbarrier_answer", &answer, {64}),
          by_threads(session, "mbarrier_own", &arrive_and_wait, {32}),
          by_threads(session, "mbarrier_open", &wait_for_nothing, {128})};
}

}  // namespace fa3prof::kernels::microbench
