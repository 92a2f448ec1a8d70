// mma.sync m16n8k16 on eight independent accumulators a warp, and ldmatrix without bank conflicts.
#include "kernels/microbench/benchmarks.h"
#include "kernels/microbench/launch.cuh"
#include "kernels/ptx/ldmatrix.cuh"
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/ptx/mma.cuh"
#include "kernels/ptx/unroll.h"

#include <string>

namespace fa3prof::kernels::microbench {
namespace {

constexpr int kTiles = 8;
constexpr int kSteps = 32;  // instructions of a loop pass
constexpr double kFlopPerMma = 2.0 * 16 * 8 * 16;
constexpr double kBytesPerLdmatrix = 512.0;  // x4

__global__ void __launch_bounds__(384, 1)
    multiply_tiles(std::uint32_t* results, float* sink, int passes) {
  const std::uint32_t seed = __float_as_uint(sink[0] + 1.0F);
  const std::uint32_t a[4]{seed, seed + 1, seed + 2, seed + 3};
  float d[kTiles][4] = {};
  __syncthreads();
  const std::uint64_t begin = ptx::clock64();
  for (int pass = 0; pass < passes; ++pass) {
    FA3PROF_UNROLL
    for (int step = 0; step < kSteps; ++step) {
      ptx::mma_m16n8k16<ptx::Element::kF16>(d[step % kTiles], a, seed, seed + threadIdx.x);
    }
  }
  finish(results, begin);
  float sum = 0.0F;
  FA3PROF_UNROLL
  for (int i = 0; i < kTiles * 4; ++i) sum += d[i / 4][i % 4];
  sink[threadIdx.x] = sum;
}

__global__ void __launch_bounds__(384, 1)
    load_matrices(std::uint32_t* results, float* sink, int passes) {
  __shared__ __align__(128) std::uint32_t words[4096];
  for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x) words[i] = i;
  __syncthreads();
  // Rows of 16 bytes that follow each other: every phase of eight lanes reads all 32 banks.
  const std::uint32_t row = ptx::shared_address(words) + threadIdx.x % 32 * 16;
  std::uint32_t sums[4] = {};
  const std::uint64_t begin = ptx::clock64();
  for (int pass = 0; pass < passes; ++pass) {
    FA3PROF_UNROLL
    for (int step = 0; step < kSteps; ++step) {
      std::uint32_t d[4];
      ptx::ldmatrix_x4(d, row + static_cast<std::uint32_t>(step) * 512);
      FA3PROF_UNROLL
      for (int i = 0; i < 4; ++i) sums[i] ^= d[i];
    }
  }
  finish(results, begin);
  sink[threadIdx.x] = __uint_as_float(sums[0] ^ sums[1] ^ sums[2] ^ sums[3]);
}

using Kernel = void (*)(std::uint32_t*, float*, int);

/// So much of `unit` per cycle and SM, by warps.
Series by_warps(Session& session, Kernel kernel, double per_instruction, const Series& empty) {
  constexpr int kPasses = 128;
  Series series = empty;
  for (const unsigned warps : {4U, 8U, 12U}) {
    const auto cycles = slopes(session, session.sms(), kPasses, [&](int passes) {
      launch(session, {session.sms(), 32 * warps}, kernel, session.results(), session.sink(),
             passes);
    });
    series.points.push_back(point(warps, rates(per_instruction * warps * kSteps, cycles)));
  }
  return series;
}

}  // namespace

std::vector<Series> mma_sync(Session& session) {
  return {by_warps(session, &multiply_tiles, kFlopPerMma,
                   {.benchmark = "",
                    .name = "mma_sync_rate",
                    .axis = "warps",
                    .unit = "flop/cycle",
                    .points = {}}),
          by_warps(session, &load_matrices, kBytesPerLdmatrix,
                   {.benchmark = "",
                    .name = "ldmatrix_rate",
                    .axis = "warps",
                    .unit = "bytes/cycle",
                    .points = {}})};
}

}  // namespace fa3prof::kernels::microbench
