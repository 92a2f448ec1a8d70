// The SM clock while every tensor core multiplies random data without a pause, from cycle counters
// over the nanosecond clock in stretches of 50 ms. Long enough for the power control to settle.
#include "kernels/microbench/benchmarks.h"
#include "kernels/microbench/launch.cuh"
#include "kernels/microbench/wgmma_stream.cuh"
#include "kernels/runtime/clock_stamp.h"

#include <array>
#include <span>

namespace fa3prof::kernels::microbench {
namespace {

constexpr int kStretches = 56;
constexpr double kStretchMs = 50.0;
constexpr int kN = 256;

__global__ void __launch_bounds__(256, 1) load_tensor_cores(float* sink, int groups) {
  extern __shared__ __align__(1024) unsigned char raw_shared[];
  const Operands at =
      fill_operands(*reinterpret_cast<OperandStorage*>(raw_shared), uniform_warpgroup());
  float d[kN / 2] = {};
  multiply<SharedA<kN>>(d, at, groups);
  sink[threadIdx.x] = sum_of(d);
}

}  // namespace

std::vector<Series> clock_under_load(Session& session) {
  // Two warpgroups take turns: a group of each is 2 * 8 * N / 2 cycles. At 1600 MHz some 50 ms.
  constexpr double kCyclesPerMs = 1.6e6;
  constexpr int kGroups = static_cast<int>(kStretchMs * kCyclesPerMs / (kGroupInstructions * kN));
  using Stamps = std::array<ClockStamp, kMaxStampedSms>;
  const DeviceBuffer memory((kStretches + 1) * sizeof(Stamps));
  auto* stamps = static_cast<Stamps*>(memory.get());
  cuda_check(cudaMemsetAsync(memory.get(), 0, memory.size_bytes(), session.stream()));
  launch_clock_stamp(stamps->data(), session.stream());
  for (int stretch = 1; stretch <= kStretches; ++stretch) {
    launch(session, {session.sms(), 256, sizeof(OperandStorage)}, &load_tensor_cores,
           session.sink(), kGroups);
    launch_clock_stamp(stamps[stretch].data(), session.stream());
  }
  std::vector<Stamps> read(kStretches + 1);
  cuda_check(cudaStreamSynchronize(session.stream()));
  cuda_check(cudaMemcpy(read.data(), memory.get(), memory.size_bytes(), cudaMemcpyDeviceToHost));
  Series series{.benchmark = "",
                .name = "clock_under_tensor_load",
                .axis = "ms",
                .unit = "mhz",
                .points = {}};
  double time_ms = 0.0;
  for (std::size_t i = 1; i < read.size(); ++i) {
    const double mhz = mean_clock_mhz(read[i - 1], read[i]).value_or(0.0);
    time_ms += kGroups * kGroupInstructions * kN / (mhz * 1e3);
    series.points.push_back(point(time_ms, {mhz}));
  }
  return {series};
}

}  // namespace fa3prof::kernels::microbench
