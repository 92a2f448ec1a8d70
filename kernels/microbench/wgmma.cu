// WGMMA: cycles an instruction occupies the tensor cores, by N, operands and warpgroups; and how
// one warpgroup's batches run on an idle tensor core: when issuing returns, when the wait returns.
#include "kernels/microbench/benchmarks.h"
#include "kernels/microbench/launch.cuh"
#include "kernels/microbench/wgmma_stream.cuh"
#include "kernels/ptx/warpgroup.cuh"

#include <array>
#include <iterator>
#include <string>
#include <utility>

namespace fa3prof::kernels::microbench {
namespace {

template <typename Instruction>
__global__ void __launch_bounds__(128 * kMaxWarpgroups, 1)
    stream(std::uint32_t* results, float* sink, int groups) {
  extern __shared__ __align__(1024) unsigned char raw_shared[];
  const Operands at =
      fill_operands(*reinterpret_cast<OperandStorage*>(raw_shared), uniform_warpgroup());
  float d[Instruction::kN / 2] = {};
  __syncthreads();
  const std::uint64_t begin = ptx::clock64();
  multiply<Instruction>(d, at, groups);
  finish(results, begin);
  sink[threadIdx.x] = sum_of(d);
}

/// Sizes of the batches that are timed.
constexpr int kBatches[]{1, 2, 3, 4, 6, 8, 12};
constexpr std::size_t kBatchCount = std::size(kBatches);
/// Until issuing returned, until the wait returned, a wait for nothing, nothing.
constexpr int kBatchResults = 4;

/// One batch on an idle tensor core. The clock is read before the first instruction, after the
/// commit and after the wait.
template <typename Instruction, int kCount>
__device__ __forceinline__ void time_batch(std::uint32_t* results, float (&d)[Instruction::kN / 2],
                                           const Operands& at) {
  constexpr unsigned kIdleCycles = 3000;
  spin_until(ptx::clock64() + kIdleCycles);
  ptx::bar_sync(1, 128);
  const std::uint64_t begin = ptx::clock64();
  ptx::wgmma_fence();
  FA3PROF_UNROLL
  for (int step = 0; step < kCount; ++step) Instruction::issue(d, at, step);
  ptx::wgmma_commit_group();
  const std::uint32_t issued = cycles_since(begin);
  ptx::wgmma_wait_group<0>();
  const std::uint32_t done = cycles_since(begin);
  ptx::pin_registers(d);
  const std::uint64_t before = ptx::clock64();
  ptx::wgmma_wait_group<0>();
  const std::uint32_t wait = cycles_since(before);
  const std::uint64_t again = ptx::clock64();
  const std::uint32_t nothing = cycles_since(again);
  if (threadIdx.x == 0) {
    results[0] = issued;
    results[1] = done;
    results[2] = wait;
    results[3] = nothing;
  }
}

/// Every batch twice; the first round brings the code into the instruction cache.
template <typename Instruction, std::size_t... kIndex>
__device__ __forceinline__ void time_batches(std::uint32_t* results,
                                             float (&d)[Instruction::kN / 2], const Operands& at,
                                             std::index_sequence<kIndex...>) {
  for (int round = 0; round < 2; ++round) {
    (time_batch<Instruction, kBatches[kIndex]>(results + kBatchResults * kIndex, d, at), ...);
  }
}

template <typename Instruction>
__global__ void __launch_bounds__(128, 1) batches(std::uint32_t* results, float* sink) {
  extern __shared__ __align__(1024) unsigned char raw_shared[];
  const Operands at = fill_operands(*reinterpret_cast<OperandStorage*>(raw_shared), 0);
  float d[Instruction::kN / 2] = {};
  time_batches<Instruction>(results + blockIdx.x * kBatchCount * kBatchResults, d, at,
                            std::make_index_sequence<kBatchCount>());
  sink[threadIdx.x] = sum_of(d);
}

template <typename Instruction>
MeasuredPoint cycles_of(Session& session, unsigned warpgroups) {
  constexpr int kGroups = 64;
  std::vector<double> samples = slopes(session, session.sms(), kGroups, [&](int groups) {
    launch(session, {session.sms(), 128 * warpgroups, sizeof(OperandStorage)}, &stream<Instruction>,
           session.results(), session.sink(), groups);
  });
  for (double& cycles : samples) cycles /= kGroupInstructions * warpgroups;
  return point(Instruction::kN, samples);
}

template <template <int> typename Instruction, int... kN>
void add_streams(Session& session, const std::string& name, std::vector<Series>& all) {
  for (const unsigned warpgroups : {1U, 2U, 3U}) {
    all.push_back({.benchmark = "",
                   .name = name + "_" + std::to_string(warpgroups) + "_warpgroups",
                   .axis = "n",
                   .unit = "cycles/instruction",
                   .points = {cycles_of<Instruction<kN>>(session, warpgroups)...}});
  }
}

/// The three results of every batch, each a series over the size of the batch.
template <typename Instruction>
void add_batches(Session& session, const std::string& name, std::vector<Series>& all) {
  constexpr std::size_t kPerCta = kBatchCount * kBatchResults;
  std::vector<std::vector<double>> samples(kPerCta);
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    launch(session, {session.sms(), 128, sizeof(OperandStorage)}, &batches<Instruction>,
           session.results(), session.sink());
    const std::vector<double> cycles = session.collect(session.sms() * kPerCta);
    for (std::size_t i = 0; i < cycles.size(); ++i) samples[i % kPerCta].push_back(cycles[i]);
  }
  constexpr std::array<const char*, kBatchResults> kResults{"_issued", "_done", "_idle_wait",
                                                            "_clock_read"};
  for (std::size_t result = 0; result < kResults.size(); ++result) {
    Series series{.benchmark = "",
                  .name = name + kResults[result],
                  .axis = "batch",
                  .unit = "cycles",
                  .points = {}};
    for (std::size_t i = 0; i < kBatchCount; ++i) {
      series.points.push_back(point(kBatches[i], samples[i * kBatchResults + result]));
    }
    all.push_back(std::move(series));
  }
}

}  // namespace

std::vector<Series> wgmma(Session& session) {
  std::vector<Series> all;
  add_streams<SharedA, 64, 80, 128, 192, 256>(session, "wgmma_shared_a", all);
  add_streams<RegisterA, 64, 80, 128, 192, 256>(session, "wgmma_register_a", all);
  add_streams<Fp8SharedA, 64, 128, 256>(session, "wgmma_fp8", all);
  add_batches<SharedA<64>>(session, "wgmma_batch_n64", all);
  add_batches<SharedA<128>>(session, "wgmma_batch_n128", all);
  add_batches<SharedA<256>>(session, "wgmma_batch_n256", all);
  add_batches<RegisterA<128>>(session, "wgmma_batch_register_a_n128", all);
  return all;
}

}  // namespace fa3prof::kernels::microbench
