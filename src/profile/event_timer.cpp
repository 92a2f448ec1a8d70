#include "src/profile/event_timer.h"

#include <optional>
#include <span>
#include <thread>

namespace fa3prof::profile {
namespace {

using kernels::cuda_check;
using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kGateLimit(200);
constexpr std::chrono::microseconds kPollPause(100);
constexpr double kUsPerMs = 1e3;

/// Runs on a driver thread when the stream reaches it and holds the stream until the gate opens.
/// The limit keeps a launch that waits for the device itself from never ending.
void CUDART_CB wait_at_gate(void* gate) {
  static_cast<void>(static_cast<std::counting_semaphore<>*>(gate)->try_acquire_for(kGateLimit));
}

}  // namespace

bool wait_for(cudaEvent_t event, std::chrono::milliseconds limit) {
  const auto end = steady_clock::now() + limit;
  while (true) {
    const cudaError_t status = cudaEventQuery(event);
    if (status == cudaSuccess) return true;
    if (status != cudaErrorNotReady) cuda_check(status);
    if (steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(kPollPause);
  }
}

EventTimer::EventTimer(cudaStream_t stream, const Limits& limits)
    : stream_(stream), limits_(limits), reading_(kernels::make_stream()) {
  if (limits.flush_bytes > 0) flush_ = kernels::DeviceBuffer(limits.flush_bytes);
}

EventTimer::~EventTimer() {
  for (Batch& batch : batches_) batch.gate.release();  // an exception may have left one closed
  static_cast<void>(cudaStreamSynchronize(stream_));
}

void EventTimer::rest(std::chrono::microseconds pause) { std::this_thread::sleep_for(pause); }

void EventTimer::flush_cache() {
  cuda_check(cudaMemsetAsync(flush_.get(), 0, flush_.size_bytes(), stream_));
}

void EventTimer::begin_batch() {
  Batch& batch = batches_[begun_++ % batches_.size()];
  batch.used = 0;
  static_cast<void>(batch.gate.try_acquire());  // a permit is left where it passed its time limit
  cuda_check(cudaLaunchHostFunc(stream_, wait_at_gate, &batch.gate));
}

void EventTimer::enqueue_timed(const Launch& launch) {
  Batch& batch = batches_[(begun_ - 1) % batches_.size()];
  if (batch.used == batch.intervals.size()) batch.intervals.emplace_back();
  const Interval& interval = batch.intervals[batch.used++];
  auto* const stamps = static_cast<kernels::ClockStamp*>(interval.stamps.get());
  cuda_check(cudaMemsetAsync(stamps, 0, interval.stamps.size_bytes(), stream_));
  kernels::launch_clock_stamp(stamps, stream_);
  cuda_check(cudaEventRecord(interval.begin.get(), stream_));
  launch();
  cuda_check(cudaEventRecord(interval.end.get(), stream_));
  kernels::launch_clock_stamp(stamps + kernels::kMaxStampedSms, stream_);
  cuda_check(cudaEventRecord(interval.stamped.get(), stream_));
}

void EventTimer::end_batch() { batches_[(begun_ - 1) % batches_.size()].gate.release(); }

std::optional<double> EventTimer::clock_of(const Interval& interval) {
  std::vector<kernels::ClockStamp> stamps(std::size_t{2} * kernels::kMaxStampedSms);
  cuda_check(cudaMemcpyAsync(stamps.data(), interval.stamps.get(), interval.stamps.size_bytes(),
                             cudaMemcpyDeviceToHost, reading_.get()));
  cuda_check(cudaStreamSynchronize(reading_.get()));
  const std::span<const kernels::ClockStamp> all(stamps);
  return kernels::mean_clock_mhz(all.first(kernels::kMaxStampedSms),
                                 all.last(kernels::kMaxStampedSms));
}

std::vector<TimedLaunch> EventTimer::collect_batch() {
  const Batch& batch = batches_[collected_++ % batches_.size()];
  std::vector<TimedLaunch> timed;
  for (std::size_t i = 0; i < batch.used; ++i) {
    const Interval& interval = batch.intervals[i];
    if (!wait_for(interval.stamped.get(), limits_.launch)) throw StuckLaunch(i);
    const auto ended_at = steady_clock::now();
    float milliseconds = 0.0F;
    cuda_check(cudaEventElapsedTime(&milliseconds, interval.begin.get(), interval.end.get()));
    timed.push_back({.duration_us = milliseconds * kUsPerMs,
                     .clock_mhz = clock_of(interval),
                     .ended_at = ended_at});
  }
  return timed;
}

}  // namespace fa3prof::profile
