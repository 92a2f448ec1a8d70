// Warpgroups that take turns at the tensor cores, each with two batches of WGMMA on accumulators of
// their own: what the change from one batch to the next costs, and how elementwise work between the
// turns hides under the other warpgroups' batches.
#include "kernels/microbench/benchmarks.h"
#include "kernels/microbench/elementwise.cuh"
#include "kernels/microbench/launch.cuh"
#include "kernels/microbench/wgmma_stream.cuh"
#include "kernels/ptx/warpgroup.cuh"

#include <string>

namespace fa3prof::kernels::microbench {
namespace {

/// A turn: kFirst instructions into one accumulator, then kSecond into another. kGroups warpgroups
/// take turns.
template <int kGroups, typename First, int kFirst, typename Second, int kSecond>
struct Turn {
  static constexpr int kWarpgroups = kGroups;
  using FirstInstruction = First;
  using SecondInstruction = Second;
  static constexpr int kFirstCount = kFirst;
  static constexpr int kSecondCount = kSecond;
  static constexpr double kCycles = kFirst * First::kN / 2.0 + kSecond * Second::kN / 2.0;
};

template <typename Instruction, int kCount>
__device__ __forceinline__ void issue_batch(float (&d)[Instruction::kN / 2], const Operands& at) {
  ptx::pin_registers(d);
  ptx::wgmma_fence();
  FA3PROF_UNROLL
  for (int step = 0; step < kCount; ++step) Instruction::issue(d, at, step);
  ptx::wgmma_commit_group();
}

/// `turns` turns of each warpgroup. The turn goes on when the batches are issued; between the end
/// of the first batch and that of the second come `rounds` rounds of elementwise work.
template <typename TurnOf>
__global__ void __launch_bounds__(128 * TurnOf::kWarpgroups, 1)
    take_turns(std::uint32_t* results, float* sink, int turns, int rounds) {
  using First = typename TurnOf::FirstInstruction;
  using Second = typename TurnOf::SecondInstruction;
  extern __shared__ __align__(1024) unsigned char raw_shared[];
  const int warpgroup = uniform_warpgroup();
  const Operands at = fill_operands(*reinterpret_cast<OperandStorage*>(raw_shared), warpgroup);
  const int next = warpgroup + 1 == TurnOf::kWarpgroups ? 0 : warpgroup + 1;
  float first[First::kN / 2] = {};
  float second[Second::kN / 2] = {};
  Elementwise<kExponential> elements(sink[0] + 1.0F);
  __syncthreads();
  const std::uint64_t begin = ptx::clock64();
  if (warpgroup == TurnOf::kWarpgroups - 1) ptx::bar_arrive(1, 256);
  for (int turn = 0; turn < turns; ++turn) {
    ptx::bar_sync(1 + warpgroup, 256);
    issue_batch<First, TurnOf::kFirstCount>(first, at);
    issue_batch<Second, TurnOf::kSecondCount>(second, at);
    ptx::bar_arrive(1 + next, 256);
    ptx::wgmma_wait_group<1>();
    ptx::pin_registers(first);
    for (int round = 0; round < rounds; ++round) elements.round();
    ptx::wgmma_wait_group<0>();
    ptx::pin_registers(second);
  }
  if (warpgroup == 0) ptx::bar_sync(1, 256);
  finish(results, begin);
  sink[threadIdx.x] = sum_of(first) + sum_of(second) + elements.sum();
}

/// One round of exponentials while the warpgroup's own batch executes, or with kCount = 0 alone.
template <int kCount>
__global__ void __launch_bounds__(128, 1) beside_own(std::uint32_t* results, float* sink) {
  using Instruction = RegisterA<256>;
  extern __shared__ __align__(1024) unsigned char raw_shared[];
  const Operands at = fill_operands(*reinterpret_cast<OperandStorage*>(raw_shared), 0);
  float d[Instruction::kN / 2] = {};
  Elementwise<kExponential> elements(sink[0] + 1.0F);
  std::uint32_t cycles = 0;
  // The first pass brings the code into the instruction cache.
  for (int pass = 0; pass < 2; ++pass) {
    ptx::bar_sync(1, 128);
    if constexpr (kCount > 0) issue_batch<Instruction, kCount>(d, at);
    const std::uint64_t begin = ptx::clock64();
    elements.round();
    cycles = cycles_since(begin);
    ptx::wgmma_wait_group<0>();
    ptx::pin_registers(d);
  }
  if (threadIdx.x == 0) results[blockIdx.x] = cycles;
  sink[threadIdx.x] = sum_of(d) + elements.sum();
}

/// Cycles of that round.
template <int kCount>
std::vector<double> cycles_beside_own(Session& session) {
  std::vector<double> samples;
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    launch(session, {session.sms(), 128, sizeof(OperandStorage)}, &beside_own<kCount>,
           session.results(), session.sink());
    const std::vector<double> cycles = session.collect(session.sms());
    samples.insert(samples.end(), cycles.begin(), cycles.end());
  }
  return samples;
}

constexpr int kTurns = 64;

/// Cycles from turn to turn, over those that the turn's instructions take; by elements of each
/// thread between its batches.
template <typename TurnOf>
Series excess(Session& session, const std::string& name) {
  Series series{.benchmark = "",
                .name = name,
                .axis = "elements_per_thread",
                .unit = "cycles/turn",
                .points = {}};
  for (const int rounds : {0, 1, 2, 3, 4}) {
    std::vector<double> samples = slopes(session, session.sms(), kTurns, [&](int turns) {
      launch(session, {session.sms(), 128 * TurnOf::kWarpgroups, sizeof(OperandStorage)},
             &take_turns<TurnOf>, session.results(), session.sink(), turns, rounds);
    });
    for (double& cycles : samples) cycles = cycles / TurnOf::kWarpgroups - TurnOf::kCycles;
    series.points.push_back(point(kElements * rounds, samples));
  }
  return series;
}

}  // namespace

std::vector<Series> turns(Session& session) {
  return {excess<Turn<2, SharedA<128>, 8, RegisterA<128>, 8>>(session, "turn_excess_n128_n128"),
          excess<Turn<2, SharedA<80>, 16, RegisterA<256>, 5>>(session, "turn_excess_n80_n256"),
          excess<Turn<2, SharedA<128>, 4, RegisterA<64>, 8>>(session, "turn_excess_n128_n64"),
          excess<Turn<3, SharedA<128>, 4, RegisterA<64>, 8>>(session, "turn_excess_n128_n64_of_3"),
          single("exponentials_alone", "cycles/round", cycles_beside_own<0>(session)),
          single("exponentials_beside_own_wgmma", "cycles/round", cycles_beside_own<8>(session))};
}

}  // namespace fa3prof::kernels::microbench
