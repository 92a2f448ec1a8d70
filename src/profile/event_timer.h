// Launches on a CUDA stream, timed by pairs of events.
#pragma once

#include "kernels/runtime/clock_stamp.h"
#include "kernels/runtime/handles.h"
#include "src/profile/sampler.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <semaphore>
#include <vector>

namespace fa3prof::profile {

/// What CacheMode::kCold overwrites: twice the L2, so that nothing of a kernel's data stays.
[[nodiscard]] constexpr std::size_t flush_bytes(std::size_t l2_bytes) { return 2 * l2_bytes; }

/// Waits until all work before `event` is done, or for `limit`. False then: it may never be done.
[[nodiscard]] bool wait_for(cudaEvent_t event, std::chrono::milliseconds limit);

/// The timed launches must go to `stream`, which must outlive the timer.
class EventTimer final : public LaunchTimer {
 public:
  struct Limits {
    std::size_t flush_bytes = 0;  ///< of device memory are allocated; 0: the cache is never flushed
    std::chrono::milliseconds launch{60'000};  ///< a launch that takes longer is stuck
  };

  EventTimer(cudaStream_t stream, const Limits& limits);
  EventTimer(const EventTimer&) = delete;
  EventTimer& operator=(const EventTimer&) = delete;
  /// Waits for the stream, for ever if a launch is stuck.
  ~EventTimer() override;

  void rest(std::chrono::microseconds pause) override;
  void flush_cache() override;
  void begin_batch() override;
  void enqueue_timed(const Launch& launch) override;
  void end_batch() override;
  [[nodiscard]] std::vector<TimedLaunch> collect_batch() override;

 private:
  struct Interval {
    kernels::Event begin = kernels::make_event();
    kernels::Event end = kernels::make_event();
    /// Clock stamps of all SMs before and after, outside of the events.
    kernels::DeviceBuffer stamps{2 * kernels::kMaxStampedSms * sizeof(kernels::ClockStamp)};
    kernels::Event stamped = kernels::make_event();
  };

  struct Batch {
    std::counting_semaphore<> gate{0};
    std::vector<Interval> intervals;  // grows to the largest batch and is used again
    std::size_t used = 0;
  };

  [[nodiscard]] std::optional<double> clock_of(const Interval& interval);

  cudaStream_t stream_;
  Limits limits_;
  kernels::DeviceBuffer flush_;
  kernels::Stream reading_;       // so that reading stamps waits for nothing else
  std::array<Batch, 2> batches_;  // used in turn
  std::size_t begun_ = 0;         // batches so far
  std::size_t collected_ = 0;
};

}  // namespace fa3prof::profile
