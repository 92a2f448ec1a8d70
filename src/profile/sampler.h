// Times launches: warm-up first, then the kernels in turn (A B A B ...), so that a drifting clock
// or temperature touches all of them alike. Knows no CUDA: the GPU is behind LaunchTimer.
#pragma once

#include "src/profile/profiler.h"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace fa3prof::profile {

/// Enqueues one launch and returns without waiting.
using Launch = std::function<void()>;

/// One timed launch.
struct TimedLaunch {
  double duration_us = 0.0;
  std::optional<double> clock_mhz;  ///< mean SM clock over it, where it could be read

  bool operator==(const TimedLaunch&) const = default;
};

/// The stream that launches go to.
class LaunchTimer {
 public:
  virtual ~LaunchTimer() = default;

  /// Enqueues work that drives everything else out of the L2 cache.
  virtual void flush_cache() = 0;

  /// From here until end_batch() nothing enqueued need start, so that the GPU never waits for the
  /// CPU inside a batch, however short the launches are.
  virtual void begin_batch() = 0;

  /// Enqueues `launch` between two events.
  virtual void enqueue_timed(const Launch& launch) = 0;

  /// Waits for the batch; its timed launches in the order of enqueueing.
  [[nodiscard]] virtual std::vector<TimedLaunch> end_batch() = 0;
};

/// Rounds, each with one launch of every kernel. With CacheMode::kCold the cache is flushed before
/// every launch, outside of the timed part.
struct Rounds {
  int count = 0;
  CacheMode cache = CacheMode::kWarm;
};

/// Enqueues untimed rounds and does not wait, so that timing starts on a busy GPU.
void warm_up(LaunchTimer& timer, std::span<const Launch> launches, const Rounds& rounds);

/// The timed launches of each of `launches`, in the order taken.
[[nodiscard]] std::vector<std::vector<TimedLaunch>> sample(LaunchTimer& timer,
                                                           std::span<const Launch> launches,
                                                           const Rounds& rounds);

}  // namespace fa3prof::profile
