// Who else is on a GPU: other processes take clock, cache and bandwidth from what is measured.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace fa3prof::profile {

/// How many of `pids` are not the calling process, which is one of them. In a container NVML may
/// give pids of the host, where the caller's own cannot be told by number.
[[nodiscard]] int count_other_processes(const std::vector<unsigned>& pids, unsigned own_pid);

/// Follows the processes on a GPU over a measurement.
class NeighbourWatch {
 public:
  /// The pids on the GPU; nothing where they cannot be read.
  using Source = std::function<std::optional<std::vector<unsigned>>()>;

  /// Looks for the first time: the caller must have its context by then. An empty source sees
  /// nothing.
  NeighbourWatch(Source source, unsigned own_pid);

  /// Looks again, but not before `pause` has passed since the last time. From one thread at a time.
  void look(std::chrono::milliseconds pause = std::chrono::milliseconds(100));

  /// Who was there before, came and left: a sentence each, or none.
  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  Source source_;
  unsigned own_pid_;
  std::optional<std::vector<unsigned>> before_;  // in order
  std::vector<unsigned> came_;
  std::vector<unsigned> left_;
  std::chrono::steady_clock::time_point last_look_;
};

/// Lowest of some readings of how busy the GPU is, over a little more than the second that one may
/// reach back to: work that has ended is seen off. Nothing where it cannot be read. Call it before
/// the first launch.
[[nodiscard]] std::optional<double> lowest_busy_ratio(
    const std::function<std::optional<double>()>& read,
    std::chrono::milliseconds pause = std::chrono::milliseconds(200));

/// The warning for a GPU that was so busy before anything was launched; nothing where that is
/// little.
[[nodiscard]] std::optional<std::string> busy_warning(std::optional<double> busy_ratio);

}  // namespace fa3prof::profile
