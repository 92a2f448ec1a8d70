// The SM clock over a stretch of a stream, from cycle counters read before and after it: exact
// where the driver's readings lag by a hundred milliseconds, and free of profiling privileges.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <optional>
#include <span>

namespace fa3prof::kernels {

/// One SM's counters at one moment; both zero where no thread ran on that SM.
struct ClockStamp {
  std::uint64_t cycles = 0;
  std::uint64_t time_ns = 0;
};

/// SM numbers that stamps have room for.
inline constexpr int kMaxStampedSms = 256;

/// Enqueues a kernel that stamps each SM it lands on, by number, into kMaxStampedSms zeroed entries
/// of device memory. It starts when the work before it is done.
void launch_clock_stamp(ClockStamp* stamps, cudaStream_t stream);

/// Mean clock over the SMs stamped at both moments, or nothing without one (or without time between
/// them).
[[nodiscard]] std::optional<double> mean_clock_mhz(std::span<const ClockStamp> before,
                                                   std::span<const ClockStamp> after);

}  // namespace fa3prof::kernels
