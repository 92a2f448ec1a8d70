// Straight code of growing length, several times over: what fetching instructions costs a kernel
// that has just been launched (the code comes from L2 or further), and one whose code exceeds the
// instruction caches of an SM.
#include "kernels/microbench/benchmarks.h"
#include "kernels/microbench/launch.cuh"
#include "kernels/ptx/scalar.cuh"
#include "kernels/ptx/unroll.h"

#include <algorithm>
#include <utility>

namespace fa3prof::kernels::microbench {
namespace {

constexpr int kInstructionBytes = 16;
constexpr int kPasses = 3;
constexpr int kChains = 8;  // more than the latency of an FFMA asks for: one is issued each cycle

/// kCount instructions without a branch, in pieces that the compiler takes.
template <int kCount>
__device__ __forceinline__ void straight(float (&x)[kChains], float a, float b) {
  constexpr int kPiece = 512;
  if constexpr (kCount > kPiece) {
    straight<kCount / 2>(x, a, b);
    straight<kCount - kCount / 2>(x, a, b);
  } else {
    FA3PROF_UNROLL
    for (int i = 0; i < kCount; ++i) ptx::ffma(x[i % kChains], a, b);
  }
}

/// The cycles of each pass, by warp.
template <int kCount>
__global__ void __launch_bounds__(384) run_straight(std::uint32_t* results, float* sink) {
  float x[kChains];
  for (float& value : x) value = sink[0];
  const float a = sink[1];
  const float b = sink[2];
  std::uint32_t* own = results + (blockIdx.x * blockDim.x + threadIdx.x) / 32 * kPasses;
#pragma unroll 1
  for (int pass = 0; pass < kPasses; ++pass) {
    __syncthreads();
    const std::uint64_t begin = ptx::clock64();
    straight<kCount>(x, a, b);
    const std::uint32_t cycles = cycles_since(begin);
    if (threadIdx.x % 32 == 0) own[pass] = cycles;
  }
  float sum = 0.0F;
  for (const float value : x) sum += value;
  sink[threadIdx.x] = sum;
}

constexpr int kFlushCount = 16384;  // 256 KiB, more than any instruction cache of an SM

/// Cycles of an instruction in the first and in the last pass, one warp on each SM, the caches full
/// of other code.
template <int kCount>
void add(Session& session, Series& first, Series& later) {
  std::vector<double> of_first;
  std::vector<double> of_later;
  for (int repetition = -1; repetition < kRepetitions; ++repetition) {
    if constexpr (kCount != kFlushCount) {
      launch(session, {session.sms(), 32}, &run_straight<kFlushCount>, session.results(),
             session.sink());
    }
    launch(session, {session.sms(), 32}, &run_straight<kCount>, session.results(), session.sink());
    const auto cycles = session.collect(std::size_t{kPasses} * session.sms());
    if (repetition < 0) continue;
    for (std::size_t at = 0; at < cycles.size(); at += kPasses) {
      of_first.push_back(cycles[at] / kCount);
      of_later.push_back(cycles[at + kPasses - 1] / kCount);
    }
  }
  constexpr double kBytes = static_cast<double>(kCount) * kInstructionBytes;
  first.points.push_back(point(kBytes, of_first));
  later.points.push_back(point(kBytes, of_later));
}

template <int... kKib>
std::vector<Series> measure(Session& session, std::integer_sequence<int, kKib...>) {
  constexpr int kPerKib = 1024 / kInstructionBytes;
  Series first{.benchmark = "",
               .name = "first_pass",
               .axis = "code_bytes",
               .unit = "cycles/instruction",
               .points = {}};
  Series later = first;
  later.name = "later_pass";
  (add<kKib * kPerKib>(session, first, later), ...);
  return {first, later};
}

}  // namespace

std::vector<Series> code(Session& session) {
  return measure(session,
                 std::integer_sequence<int, 4, 8, 16, 24, 32, 40, 48, 64, 96, 128, 160, 256>{});
}

}  // namespace fa3prof::kernels::microbench
