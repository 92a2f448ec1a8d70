// Whether a GPU under load has found its level: from the launches that warm it up.
#pragma once

#include "src/core/result.h"
#include "src/profile/timed_launch.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>

namespace fa3prof::profile {

/// How far the mean clocks of two successive windows may lie apart when the clock is steady: about
/// one step of an H200's SM clock (15 MHz).
inline constexpr double kSteadyClockRatio = 0.01;

/// Long beside the hunting of the power control, whose period on an H200 is below a second.
inline constexpr std::chrono::milliseconds kClockWindow{1000};

/// Watches launches that follow each other. Time is that of the launches (TimedLaunch::ended_at).
class ClockSettling {
 public:
  struct Limits {
    std::chrono::milliseconds at_least{0};  ///< never over sooner; 0: over at once
    std::chrono::milliseconds at_most{0};   ///< then over, however the clock moves
  };

  explicit ClockSettling(const Limits& limits) : limits_(limits) {}

  void add(const TimedLaunch& launch);

  /// After `at_least`, once the clock is steady; where no clock can be read, after `at_least`.
  [[nodiscard]] bool is_over() const;

  /// What was launched, for how long, and the clock at the end of it. `is_steady` is absent where
  /// the launches were too few, or without a clock, to tell.
  [[nodiscard]] core::WarmUp record() const;

 private:
  struct Window {
    double busy_us = 0.0;
    double cycles = 0.0;  ///< busy_us times the clock

    [[nodiscard]] std::optional<double> clock_mhz() const;
  };

  [[nodiscard]] std::chrono::steady_clock::duration elapsed() const;
  [[nodiscard]] Window window(int age) const;
  [[nodiscard]] std::optional<bool> is_steady() const;

  Limits limits_;
  std::deque<TimedLaunch> recent_;  // of the last two windows
  std::optional<std::chrono::steady_clock::time_point> begin_;
  std::int64_t launches_ = 0;
};

}  // namespace fa3prof::profile
