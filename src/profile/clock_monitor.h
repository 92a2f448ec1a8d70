// Watches the GPU's clock, power and throttling from a thread of its own while launches are timed.
#pragma once

#include "src/core/result.h"
#include "src/profile/nvml.h"

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <thread>
#include <vector>

namespace fa3prof::profile {

/// Mean, lowest and highest clock, mean power, highest temperature and every throttle reason seen;
/// nothing for no samples: a value is never made up.
[[nodiscard]] std::optional<core::ClockRecord> summarise(std::span<const ClockSample> samples);

/// The last of them that was read before `time`, else the first; they are in order and not none.
[[nodiscard]] const ClockSample& reading_at(std::span<const ClockSample> samples,
                                            std::chrono::steady_clock::time_point time);

/// Samples from construction until finish(). The driver refreshes its readings only every few
/// milliseconds and averages power over a second, so a short run may show the state before it.
class ClockMonitor {
 public:
  using Source = std::function<std::optional<ClockSample>()>;

  /// An empty `source` (no NVML) watches nothing. At least one sample is taken otherwise.
  explicit ClockMonitor(Source source,
                        std::chrono::milliseconds period = std::chrono::milliseconds(5));

  /// Stops and gives the record of what was seen. Call once.
  [[nodiscard]] std::optional<core::ClockRecord> finish();

  /// What was seen, in order; after finish().
  [[nodiscard]] const std::vector<ClockSample>& samples() const { return samples_; }

 private:
  std::vector<ClockSample> samples_;
  std::jthread thread_;  // last member: joined before the samples go
};

}  // namespace fa3prof::profile
