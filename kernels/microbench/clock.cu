// The SM clock while every tensor core multiplies random data without a pause, by WGMMA and by
// mma.sync, from cycle counters over the nanosecond clock in stretches of 50 ms. Long enough for
// the power control to settle.
#include "kernels/microbench/benchmarks.h"
#include "kernels/microbench/launch.cuh"
#include "kernels/microbench/wgmma_stream.cuh"
#include "kernels/ptx/mma.cuh"
#include "kernels/runtime/clock_stamp.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace fa3prof::kernels::microbench {
namespace {

constexpr int kStretches = 56;
constexpr double kStretchMs = 50.0;
constexpr int kN = 256;
constexpr int kMmaSyncSteps = 32;

__global__ void __launch_bounds__(256, 1) load_tensor_cores(float* sink, int groups) {
  extern __shared__ __align__(1024) unsigned char raw_shared[];
  const Operands at =
      fill_operands(*reinterpret_cast<OperandStorage*>(raw_shared), uniform_warpgroup());
  float d[kN / 2] = {};
  multiply<SharedA<kN>>(d, at, groups);
  sink[threadIdx.x] = sum_of(d);
}

/// Eight independent accumulators a warp; the operands change from one instruction to the next, so
/// that the multipliers toggle.
__global__ void __launch_bounds__(256, 1) load_mma_sync(float* sink, int passes) {
  constexpr int kTiles = 8;
  constexpr int kOperands = 4;
  std::uint32_t a[kOperands][4];
  std::uint32_t b[kOperands][2];
  FA3PROF_UNROLL
  for (unsigned i = 0; i < kOperands; ++i) {
    FA3PROF_UNROLL
    for (unsigned e = 0; e < 4; ++e) a[i][e] = random_halves(threadIdx.x * 64U + i * 8U + e);
    FA3PROF_UNROLL
    for (unsigned e = 0; e < 2; ++e) b[i][e] = random_halves(threadIdx.x * 64U + i * 8U + 4U + e);
  }
  float d[kTiles][4] = {};
  for (int pass = 0; pass < passes; ++pass) {
    FA3PROF_UNROLL
    for (int step = 0; step < kMmaSyncSteps; ++step) {
      const auto& b_now = b[(step + step / kOperands) % kOperands];
      ptx::mma_m16n8k16<ptx::Element::kF16>(d[step % kTiles], a[step % kOperands], b_now[0],
                                            b_now[1]);
    }
  }
  float sum = 0.0F;
  FA3PROF_UNROLL
  for (int i = 0; i < kTiles * 4; ++i) sum += d[i / 4][i % 4];
  sink[threadIdx.x] = sum;
}

/// The clock over stretches that `enqueue` fills, each of `cycles` by its count of instructions.
template <typename Enqueue>
Series clock_over_stretches(Session& session, std::string name, double cycles,
                            const Enqueue& enqueue) {
  using Stamps = std::array<ClockStamp, kMaxStampedSms>;
  const DeviceBuffer memory((kStretches + 1) * sizeof(Stamps));
  auto* stamps = static_cast<Stamps*>(memory.get());
  cuda_check(cudaMemsetAsync(memory.get(), 0, memory.size_bytes(), session.stream()));
  launch_clock_stamp(stamps->data(), session.stream());
  for (int stretch = 1; stretch <= kStretches; ++stretch) {
    enqueue();
    launch_clock_stamp(stamps[stretch].data(), session.stream());
  }
  std::vector<Stamps> read(kStretches + 1);
  cuda_check(cudaStreamSynchronize(session.stream()));
  cuda_check(cudaMemcpy(read.data(), memory.get(), memory.size_bytes(), cudaMemcpyDeviceToHost));
  Series series{
      .benchmark = "", .name = std::move(name), .axis = "ms", .unit = "mhz", .points = {}};
  double time_ms = 0.0;
  for (std::size_t i = 1; i < read.size(); ++i) {
    const double mhz = mean_clock_mhz(read[i - 1], read[i]).value_or(0.0);
    time_ms += cycles / (mhz * 1e3);
    series.points.push_back(point(time_ms, {mhz}));
  }
  return series;
}

}  // namespace

std::vector<Series> clock_under_load(Session& session) {
  constexpr double kCyclesPerStretch = kStretchMs * 1.6e6;  // 50 ms at 1600 MHz
  // Two warpgroups take turns: a group of each is 2 * 8 * N / 2 cycles.
  constexpr int kGroups = static_cast<int>(kCyclesPerStretch / (kGroupInstructions * kN));
  // Two warps on each of the four tensor cores, which takes m16n8k16 at two thirds of its rate of
  // one in 4 cycles.
  constexpr int kPasses = static_cast<int>(kCyclesPerStretch / (kMmaSyncSteps * 2 * 6));
  const double wgmma_cycles = static_cast<double>(kGroups) * kGroupInstructions * kN;
  Series wgmma = clock_over_stretches(session, "clock_under_tensor_load", wgmma_cycles, [&] {
    launch(session, {session.sms(), 256, sizeof(OperandStorage)}, &load_tensor_cores,
           session.sink(), kGroups);
  });
  Series mma_sync =
      clock_over_stretches(session, "clock_under_mma_sync_load", kCyclesPerStretch, [&] {
        launch(session, {session.sms(), 256, 0}, &load_mma_sync, session.sink(), kPasses);
      });
  return {std::move(wgmma), std::move(mma_sync)};
}

}  // namespace fa3prof::kernels::microbench
