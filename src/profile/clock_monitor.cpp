#include "src/profile/clock_monitor.h"

#include <algorithm>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <stop_token>
#include <utility>

namespace fa3prof::profile {

std::optional<core::ClockRecord> summarise(std::span<const ClockSample> samples) {
  if (samples.empty()) return std::nullopt;
  core::ClockRecord record;
  record.clock_source = "NVML";
  record.sm_clock_min_mhz = samples.front().sm_clock_mhz;
  std::uint64_t reasons = 0;
  for (const ClockSample& sample : samples) {
    record.sm_clock_mhz += sample.sm_clock_mhz;
    record.sm_clock_min_mhz = std::min(record.sm_clock_min_mhz, sample.sm_clock_mhz);
    record.sm_clock_max_mhz = std::max(record.sm_clock_max_mhz, sample.sm_clock_mhz);
    record.power_watts += sample.power_watts;
    record.temperature_celsius = std::max(record.temperature_celsius, sample.temperature_celsius);
    reasons |= sample.event_reasons;
  }
  const auto count = static_cast<double>(samples.size());
  record.sm_clock_mhz /= count;
  record.power_watts /= count;
  record.throttle_reasons = throttle_reasons(reasons);
  return record;
}

const ClockSample& reading_at(std::span<const ClockSample> samples,
                              std::chrono::steady_clock::time_point time) {
  const auto after = std::ranges::upper_bound(samples, time, {}, &ClockSample::at);
  return after == samples.begin() ? *after : *std::prev(after);
}

ClockMonitor::ClockMonitor(Source source, std::chrono::milliseconds period) {
  if (!source) return;
  thread_ = std::jthread([this, source = std::move(source), period](const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any wake;
    do {
      if (const auto sample = source()) {
        samples_.push_back(*sample);
        samples_.back().at = std::chrono::steady_clock::now();
      }
      wake.wait_for(lock, stop, period, [] { return false; });
    } while (!stop.stop_requested());
  });
}

std::optional<core::ClockRecord> ClockMonitor::finish() {
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
  }
  return summarise(samples_);
}

}  // namespace fa3prof::profile
