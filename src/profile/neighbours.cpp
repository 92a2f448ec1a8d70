#include "src/profile/neighbours.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <thread>
#include <utility>

namespace fa3prof::profile {
namespace {

using Pids = std::vector<unsigned>;

constexpr double kIdleRatio = 0.05;
constexpr int kBusyReadings = 7;

/// Adds to `pids` those of `all` that are not in `known`; each once, in order.
void add_new(const Pids& all, const Pids& known, Pids& pids) {
  for (const unsigned pid : all) {
    const bool is_known =
        std::ranges::find(known, pid) != known.end() || std::ranges::find(pids, pid) != pids.end();
    if (!is_known) pids.push_back(pid);
  }
}

std::string processes(std::size_t count) {
  return fmt::format("{} other process{}", count, count == 1 ? "" : "es");
}

}  // namespace

int count_other_processes(const std::vector<unsigned>& pids, unsigned own_pid) {
  const auto all = static_cast<int>(pids.size());
  const auto own = static_cast<int>(std::ranges::count(pids, own_pid));
  return std::max(0, all - std::max(own, 1));
}

NeighbourWatch::NeighbourWatch(Source source, unsigned own_pid)
    : source_(std::move(source)),
      own_pid_(own_pid),
      before_(source_ ? source_() : std::nullopt),
      last_look_(std::chrono::steady_clock::now()) {}

void NeighbourWatch::look(std::chrono::milliseconds pause) {
  const auto now = std::chrono::steady_clock::now();
  if (!before_ || now - last_look_ < pause) return;
  last_look_ = now;
  const auto pids = source_();
  if (!pids) return;
  add_new(*pids, *before_, came_);
  add_new(*before_, *pids, left_);
}

std::vector<std::string> NeighbourWatch::warnings() const {
  std::vector<std::string> warnings;
  if (!before_) return warnings;
  Pids others;
  std::ranges::remove_copy(*before_, std::back_inserter(others), own_pid_);
  const auto count = static_cast<std::size_t>(count_other_processes(*before_, own_pid_));
  if (count > 0) {
    const bool are_told_apart = others.size() == count;
    warnings.push_back(
        fmt::format("{} on the GPU before timing began{}", processes(count),
                    are_told_apart ? fmt::format(": pid {}", fmt::join(others, ", ")) : ""));
  }
  if (!came_.empty()) {
    warnings.push_back(fmt::format("{} came to the GPU while timing: pid {}",
                                   processes(came_.size()), fmt::join(came_, ", ")));
  }
  if (!left_.empty()) {
    warnings.push_back(fmt::format("{} left the GPU while timing: pid {}", processes(left_.size()),
                                   fmt::join(left_, ", ")));
  }
  return warnings;
}

std::optional<double> lowest_busy_ratio(const std::function<std::optional<double>()>& read,
                                        std::chrono::milliseconds pause) {
  std::optional<double> lowest;
  for (int reading = 0; reading < kBusyReadings; ++reading) {
    if (reading > 0) std::this_thread::sleep_for(pause);
    const auto ratio = read();
    if (!ratio) return lowest;
    lowest = std::min(lowest.value_or(*ratio), *ratio);
    if (*lowest < kIdleRatio) break;
  }
  return lowest;
}

std::optional<std::string> busy_warning(std::optional<double> busy_ratio) {
  if (!busy_ratio || *busy_ratio < kIdleRatio) return std::nullopt;
  return fmt::format(
      "the GPU was {:.0f} % busy before this run launched anything: another process, which a "
      "container may hide, is on it",
      *busy_ratio * 100.0);
}

}  // namespace fa3prof::profile
