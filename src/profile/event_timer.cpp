#include "src/profile/event_timer.h"

#include <chrono>

namespace fa3prof::profile {
namespace {

using kernels::cuda_check;

constexpr std::chrono::milliseconds kGateLimit(200);
constexpr double kUsPerMs = 1e3;

/// Runs on a driver thread when the stream reaches it and holds the stream until the gate opens.
/// The limit keeps a launch that waits for the device itself from never ending.
void CUDART_CB wait_at_gate(void* gate) {
  static_cast<void>(static_cast<std::counting_semaphore<>*>(gate)->try_acquire_for(kGateLimit));
}

}  // namespace

EventTimer::EventTimer(cudaStream_t stream, std::size_t flush_size_bytes) : stream_(stream) {
  if (flush_size_bytes > 0) flush_ = kernels::DeviceBuffer(flush_size_bytes);
}

EventTimer::~EventTimer() {
  gate_.release();  // an exception may have left a batch closed
  static_cast<void>(cudaStreamSynchronize(stream_));
}

void EventTimer::flush_cache() {
  cuda_check(cudaMemsetAsync(flush_.get(), 0, flush_.size_bytes(), stream_));
}

void EventTimer::begin_batch() {
  used_ = 0;
  static_cast<void>(gate_.try_acquire());  // a permit is left where a gate passed its time limit
  cuda_check(cudaLaunchHostFunc(stream_, wait_at_gate, &gate_));
}

void EventTimer::enqueue_timed(const Launch& launch) {
  if (used_ == intervals_.size()) intervals_.emplace_back();
  const Interval& interval = intervals_[used_++];
  auto* const stamps = static_cast<kernels::ClockStamp*>(interval.stamps.get());
  cuda_check(cudaMemsetAsync(stamps, 0, interval.stamps.size_bytes(), stream_));
  kernels::launch_clock_stamp(stamps, stream_);
  cuda_check(cudaEventRecord(interval.begin.get(), stream_));
  launch();
  cuda_check(cudaEventRecord(interval.end.get(), stream_));
  kernels::launch_clock_stamp(stamps + kernels::kMaxStampedSms, stream_);
}

std::optional<double> EventTimer::clock_of(const Interval& interval) {
  std::vector<kernels::ClockStamp> stamps(std::size_t{2} * kernels::kMaxStampedSms);
  cuda_check(cudaMemcpy(stamps.data(), interval.stamps.get(), interval.stamps.size_bytes(),
                        cudaMemcpyDeviceToHost));
  const std::span<const kernels::ClockStamp> all(stamps);
  return kernels::mean_clock_mhz(all.first(kernels::kMaxStampedSms),
                                 all.last(kernels::kMaxStampedSms));
}

std::vector<TimedLaunch> EventTimer::end_batch() {
  gate_.release();
  cuda_check(cudaStreamSynchronize(stream_));
  std::vector<TimedLaunch> timed;
  for (std::size_t i = 0; i < used_; ++i) {
    float milliseconds = 0.0F;
    cuda_check(
        cudaEventElapsedTime(&milliseconds, intervals_[i].begin.get(), intervals_[i].end.get()));
    timed.push_back({milliseconds * kUsPerMs, clock_of(intervals_[i])});
  }
  return timed;
}

}  // namespace fa3prof::profile
