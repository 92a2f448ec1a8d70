#include "src/profile/clock_settling.h"

#include "tests/catch.h"

#include <cmath>
#include <functional>

namespace fa3prof::tests {
namespace {

using namespace std::chrono_literals;
using profile::ClockSettling;
using profile::TimedLaunch;

constexpr ClockSettling::Limits kLimits{.at_least = 3s, .at_most = 15s};

/// Launches of 2 ms under a clock that is a function of the seconds, until over or for `most`.
core::WarmUp warm_up(const std::function<std::optional<double>(double)>& clock_mhz,
                     const ClockSettling::Limits& limits = kLimits) {
  ClockSettling settling(limits);
  for (int i = 1; !settling.is_over() && i < 20'000; ++i) {
    const auto now = std::chrono::steady_clock::time_point{} + i * 2ms;
    settling.add({.duration_us = 2000.0, .clock_mhz = clock_mhz(i * 0.002), .ended_at = now});
  }
  return settling.record();
}

TEST_CASE("a steady clock is enough after the shortest time", "[profile]") {
  const core::WarmUp record = warm_up([](double) { return 1600.0; });
  CHECK(record.launches == 1500);
  CHECK_THAT(record.duration_ms, WithinRel(3000.0, 1e-9));
  CHECK(record.clock_mhz == 1600.0);
  CHECK(record.is_steady == true);
}

TEST_CASE("a clock that hunts within a second is steady", "[profile]") {
  const core::WarmUp record = warm_up(
      [](double seconds) { return 1600.0 + 60.0 * std::sin(seconds * 2.0 * 3.14159 / 0.25); });
  CHECK(record.is_steady == true);
  CHECK(record.duration_ms < 3500.0);
}

TEST_CASE("the power cap's dip is waited out", "[profile]") {
  // As an H200 does: highest clock at first, too low, back at its level after some seconds.
  const core::WarmUp record = warm_up([](double seconds) {
    if (seconds < 0.5) return 1980.0;
    return seconds < 4.5 ? 1400.0 + 50.0 * (seconds - 0.5) : 1600.0;
  });
  CHECK(record.is_steady == true);
  CHECK(record.duration_ms > 5500.0);
  CHECK_THAT(record.clock_mhz.value(), WithinRel(1600.0, 0.01));
}

TEST_CASE("a clock that never rests ends at the limit and is said not to be steady", "[profile]") {
  const core::WarmUp record = warm_up([](double seconds) { return 2000.0 - 30.0 * seconds; });
  CHECK(record.is_steady == false);
  CHECK_THAT(record.duration_ms, WithinRel(15'000.0, 1e-6));
}

TEST_CASE("without a clock the shortest time must do, and steadiness stays open", "[profile]") {
  const core::WarmUp record = warm_up([](double) { return std::nullopt; });
  CHECK_THAT(record.duration_ms, WithinRel(3000.0, 1e-9));
  CHECK_FALSE(record.clock_mhz.has_value());
  CHECK_FALSE(record.is_steady.has_value());
}

TEST_CASE("no time of settling asks for no launch", "[profile]") {
  CHECK(ClockSettling({}).is_over());
  CHECK(ClockSettling({}).record() == core::WarmUp{});
  CHECK_FALSE(ClockSettling(kLimits).is_over());
}

}  // namespace
}  // namespace fa3prof::tests
