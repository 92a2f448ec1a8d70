#include "kernels/ptx/clock.cuh"
#include "kernels/runtime/clock_stamp.h"
#include "kernels/runtime/cuda_check.h"
#include "kernels/runtime/launch.h"

#include <algorithm>
#include <cstddef>

namespace fa3prof::kernels {
namespace {

__global__ void stamp(ClockStamp* stamps) {
  const std::uint32_t sm = ptx::smid();
  if (sm < kMaxStampedSms) stamps[sm] = {ptx::clock64(), ptx::globaltimer()};
}

}  // namespace

void launch_clock_stamp(ClockStamp* stamps, cudaStream_t stream) {
  stamp<<<static_cast<unsigned>(multiprocessors()), 1, 0, stream>>>(stamps);
  cuda_check(cudaGetLastError());
}

std::optional<double> mean_clock_mhz(std::span<const ClockStamp> before,
                                     std::span<const ClockStamp> after) {
  constexpr double kMhzPerCyclePerNs = 1e3;
  double sum_mhz = 0.0;
  int sms = 0;
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    if (before[i].time_ns == 0 || after[i].time_ns <= before[i].time_ns) continue;
    sum_mhz += static_cast<double>(after[i].cycles - before[i].cycles) /
               static_cast<double>(after[i].time_ns - before[i].time_ns) * kMhzPerCyclePerNs;
    ++sms;
  }
  if (sms == 0) return std::nullopt;
  return sum_mhz / sms;
}

}  // namespace fa3prof::kernels
