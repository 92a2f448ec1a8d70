// Launches on a CUDA stream, timed by pairs of events.
#pragma once

#include "kernels/runtime/clock_stamp.h"
#include "kernels/runtime/handles.h"
#include "src/profile/sampler.h"

#include <cstddef>
#include <semaphore>
#include <vector>

namespace fa3prof::profile {

/// What CacheMode::kCold overwrites: twice the L2, so that nothing of a kernel's data stays.
[[nodiscard]] constexpr std::size_t flush_bytes(std::size_t l2_bytes) { return 2 * l2_bytes; }

/// The timed launches must go to `stream`, which must outlive the timer.
class EventTimer final : public LaunchTimer {
 public:
  /// `flush_size_bytes` of device memory are allocated; 0 when the cache is never flushed.
  EventTimer(cudaStream_t stream, std::size_t flush_size_bytes);
  EventTimer(const EventTimer&) = delete;
  EventTimer& operator=(const EventTimer&) = delete;
  ~EventTimer() override;

  void flush_cache() override;
  void begin_batch() override;
  void enqueue_timed(const Launch& launch) override;
  [[nodiscard]] std::vector<TimedLaunch> end_batch() override;

 private:
  struct Interval {
    kernels::Event begin = kernels::make_event();
    kernels::Event end = kernels::make_event();
    /// Clock stamps of all SMs before and after, outside of the events.
    kernels::DeviceBuffer stamps{2 * kernels::kMaxStampedSms * sizeof(kernels::ClockStamp)};
  };

  [[nodiscard]] static std::optional<double> clock_of(const Interval& interval);

  cudaStream_t stream_;
  kernels::DeviceBuffer flush_;
  std::counting_semaphore<> gate_{0};
  std::vector<Interval> intervals_;  // grows to the largest batch and is used again
  std::size_t used_ = 0;
};

}  // namespace fa3prof::profile
