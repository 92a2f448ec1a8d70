#include "src/profile/clock_settling.h"

#include <cmath>

namespace fa3prof::profile {
namespace {

using std::chrono::duration_cast;
using std::chrono::microseconds;

}  // namespace

std::optional<double> ClockSettling::Window::clock_mhz() const {
  if (busy_us <= 0.0) return std::nullopt;
  return cycles / busy_us;
}

void ClockSettling::add(const TimedLaunch& launch) {
  ++launches_;
  if (!begin_) {
    const std::chrono::duration<double, std::micro> duration(launch.duration_us);
    begin_ = launch.ended_at - duration_cast<std::chrono::steady_clock::duration>(duration);
  }
  recent_.push_back(launch);
  while (recent_.front().ended_at + 2 * kClockWindow <= launch.ended_at) recent_.pop_front();
}

std::chrono::steady_clock::duration ClockSettling::elapsed() const {
  if (!begin_) return {};
  return recent_.back().ended_at - *begin_;
}

/// 0: the window that ends with the last launch; 1: the one before it.
ClockSettling::Window ClockSettling::window(int age) const {
  const auto end = recent_.back().ended_at - age * kClockWindow;
  Window window;
  for (const TimedLaunch& launch : recent_) {
    if (!launch.clock_mhz) continue;
    if (launch.ended_at > end || launch.ended_at <= end - kClockWindow) continue;
    window.busy_us += launch.duration_us;
    window.cycles += launch.duration_us * *launch.clock_mhz;
  }
  return window;
}

std::optional<bool> ClockSettling::is_steady() const {
  if (elapsed() < 2 * kClockWindow) return std::nullopt;
  const auto now = window(0).clock_mhz();
  const auto before = window(1).clock_mhz();
  if (!now || !before) return std::nullopt;
  return std::abs(*now / *before - 1.0) <= kSteadyClockRatio;
}

bool ClockSettling::is_over() const {
  if (limits_.at_least == std::chrono::milliseconds(0)) return true;
  if (elapsed() < limits_.at_least) return false;
  const bool is_unsteady = is_steady() == false;
  return !is_unsteady || elapsed() >= limits_.at_most;
}

core::WarmUp ClockSettling::record() const {
  core::WarmUp record{.launches = launches_};
  if (launches_ == 0) return record;
  record.duration_ms = std::chrono::duration<double, std::milli>(elapsed()).count();
  record.clock_mhz = window(0).clock_mhz();
  record.is_steady = is_steady();
  return record;
}

}  // namespace fa3prof::profile
