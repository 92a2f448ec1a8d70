// Times launches: the kernels in turn (A B A B ...), so that a drifting clock or temperature
// touches all of them alike, in as many rounds as the intervals need: sustained, on a GPU that is
// never idle meanwhile, or in bursts, each launch after a pause. Knows no CUDA: the GPU is behind
// LaunchTimer.
#pragma once

#include "src/profile/clock_settling.h"
#include "src/profile/profiler.h"
#include "src/profile/timed_launch.h"

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace fa3prof::profile {

/// Enqueues one launch and returns without waiting.
using Launch = std::function<void()>;

/// A launch that has not ended within its time limit; nothing more can be had of this GPU.
class StuckLaunch : public std::runtime_error {
 public:
  /// `index` of the launch: in its batch where a LaunchTimer throws, else of the kernel.
  explicit StuckLaunch(std::size_t index);

  [[nodiscard]] std::size_t index() const { return index_; }

 private:
  std::size_t index_;
};

/// The stream that launches go to, in batches. Two may be under way: while one runs the next is
/// enqueued, so that the GPU has no pause in which its clock would rise.
class LaunchTimer {
 public:
  virtual ~LaunchTimer() = default;

  /// Leaves the GPU idle for so long; no batch is under way.
  virtual void rest(std::chrono::microseconds pause) = 0;

  /// Enqueues work that drives everything else out of the L2 cache.
  virtual void flush_cache() = 0;

  /// From here until end_batch() nothing enqueued need start, so that the GPU never waits for the
  /// CPU inside a batch, however short the launches are.
  virtual void begin_batch() = 0;

  /// Enqueues `launch` between two events.
  virtual void enqueue_timed(const Launch& launch) = 0;

  /// Lets the batch run and returns without waiting.
  virtual void end_batch() = 0;

  /// Waits for the oldest batch; its timed launches in the order of enqueueing. Throws StuckLaunch.
  [[nodiscard]] virtual std::vector<TimedLaunch> collect_batch() = 0;
};

/// Rounds, each with one launch of every kernel.
struct SamplingPlan {
  CacheMode cache = CacheMode::kWarm;  ///< kCold: flushed before every launch, not timed
  ClockSettling::Limits settle = {};   ///< launches for so long first, which are not kept
  int warmup_rounds = 0;               ///< then these, which are not kept either
  /// More than 0: a burst. Every launch that is kept comes alone, after a pause of so long, or of
  /// kRestPerBusyTime times the launch before it if that is longer.
  std::chrono::milliseconds pause{0};
  /// Exactly so many. Nothing: until all intervals are narrow, and then the rest counts.
  std::optional<int> rounds = std::nullopt;
  double target_ci95_ratio = 0.01;        ///< half the width of an interval over its middle
  std::chrono::milliseconds at_least{0};  ///< no judgement sooner, unless of kManyRounds
  std::chrono::milliseconds limit{0};     ///< no longer, once there are kFewestRounds
};

/// Without SamplingPlan::rounds at least the first and at most the second number of rounds.
inline constexpr std::size_t kFewestRounds = 30;
inline constexpr std::size_t kMostRounds = 1920;

/// So many are judged even before SamplingPlan::at_least.
inline constexpr std::size_t kManyRounds = 240;

/// A GPU that is busy for a fifth of the time stays far below its power limit, which holds for a
/// mean over time.
inline constexpr double kRestPerBusyTime = 4.0;

/// Launches of one batch; a stream holds about a thousand commands before enqueueing blocks.
inline constexpr std::size_t kLaunchesPerBatch = 64;

class Sampler {
 public:
  /// Whether the samples of that kernel are still of interest: not after its launch failed.
  using Counts = std::function<bool(std::size_t kernel)>;

  /// `timer` must outlive it.
  Sampler(LaunchTimer& timer, std::vector<Launch> launches, const SamplingPlan& plan,
          Counts counts);

  /// Takes all samples. Throws StuckLaunch with the kernel that does not end; what was collected
  /// before stays.
  void run();

  /// The timed launches of each kernel, in the order taken.
  [[nodiscard]] const std::vector<std::vector<TimedLaunch>>& samples() const { return samples_; }

  /// What was launched before the samples.
  [[nodiscard]] core::WarmUp warm_up() const { return settling_.record(); }

  /// As core::Timing::stopped_by; empty before run() has ended.
  [[nodiscard]] const std::string& stopped_by() const { return stopped_by_; }

 private:
  struct Batch {
    std::size_t first_kernel = 0;
    std::size_t launches = 0;
    bool is_kept = false;
  };

  [[nodiscard]] bool is_burst() const { return plan_.pause.count() > 0; }

  [[nodiscard]] std::optional<Batch> next_batch();
  [[nodiscard]] Batch next_kept(std::size_t wanted);
  [[nodiscard]] std::size_t rounds_per_batch() const;
  [[nodiscard]] std::chrono::microseconds pause() const;
  void enqueue(const Batch& batch);
  void collect();
  void judge();
  [[nodiscard]] bool is_within_target() const;
  [[nodiscard]] std::vector<double> durations(std::size_t kernel) const;

  LaunchTimer& timer_;
  std::vector<Launch> launches_;
  SamplingPlan plan_;
  Counts counts_;
  std::vector<std::vector<TimedLaunch>> samples_;
  std::string stopped_by_;
  std::deque<Batch> under_way_;
  ClockSettling settling_;
  std::optional<std::chrono::steady_clock::time_point> begin_;  // of the rounds that are kept
  std::size_t warmup_left_ = 0;
  std::size_t enqueued_ = 0;  // launches that are kept
  std::size_t next_judgement_ = kFewestRounds;
  std::optional<double> launch_us_;  // mean of the last batch
};

}  // namespace fa3prof::profile
