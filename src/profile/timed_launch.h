// One timed launch, as a LaunchTimer gives it.
#pragma once

#include <chrono>
#include <optional>

namespace fa3prof::profile {

struct TimedLaunch {
  double duration_us = 0.0;
  std::optional<double> clock_mhz;  ///< mean SM clock over it, where it could be read
  std::chrono::steady_clock::time_point ended_at = {};  ///< when the CPU saw that it had ended

  bool operator==(const TimedLaunch&) const = default;
};

}  // namespace fa3prof::profile
