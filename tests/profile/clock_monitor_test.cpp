#include "src/profile/clock_monitor.h"

#include "tests/catch.h"

#include <array>
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

namespace fa3prof::tests {
namespace {

using profile::ClockMonitor;
using profile::ClockSample;

TEST_CASE("clock samples become mean, range and every reason seen", "[profile]") {
  const std::array<ClockSample, 3> samples{ClockSample{1980.0, 300.0, 50.0, 0x0},
                                           ClockSample{1500.0, 690.0, 61.0, 0x4},
                                           ClockSample{1620.0, 660.0, 60.0, 0x21}};
  const auto record = profile::summarise(samples);
  REQUIRE(record.has_value());
  CHECK(record->sm_clock_mhz == 1700.0);
  CHECK(record->sm_clock_min_mhz == 1500.0);
  CHECK(record->sm_clock_max_mhz == 1980.0);
  CHECK(record->power_watts == 550.0);
  CHECK(record->temperature_celsius == 61.0);
  CHECK(record->throttle_reasons ==
        std::vector<std::string>{"power cap", "software thermal slowdown"});
}

TEST_CASE("a launch has the reading that was there when it ended", "[profile]") {
  const std::chrono::steady_clock::time_point begin{};
  std::array<ClockSample, 3> samples{};
  for (int i = 0; i < 3; ++i) {
    samples.at(static_cast<std::size_t>(i)).at = begin + std::chrono::milliseconds(5 * i);
  }
  const auto reading = [&](int milliseconds) {
    return &profile::reading_at(samples, begin + std::chrono::milliseconds(milliseconds));
  };
  CHECK(reading(-1) == samples.data());
  CHECK(reading(0) == samples.data());
  CHECK(reading(7) == samples.data() + 1);
  CHECK(reading(99) == samples.data() + 2);
}

TEST_CASE("no clock is reported without NVML", "[profile]") {
  ClockMonitor without_source{ClockMonitor::Source()};
  CHECK_FALSE(without_source.finish().has_value());
  ClockMonitor without_readings([]() -> std::optional<ClockSample> { return std::nullopt; });
  CHECK_FALSE(without_readings.finish().has_value());
}

TEST_CASE("the shortest watch takes a sample", "[profile]") {
  ClockMonitor monitor([] { return ClockSample{1980.0, 100.0, 40.0, 0}; });
  const auto record = monitor.finish();
  REQUIRE(record.has_value());
  CHECK(record->sm_clock_mhz == 1980.0);
}

TEST_CASE("the monitor samples until it is told to finish, and no longer", "[profile]") {
  std::atomic<int> samples = 0;
  ClockMonitor monitor(
      [&samples] {
        ++samples;
        return ClockSample{};
      },
      std::chrono::milliseconds(1));
  while (samples < 3) std::this_thread::yield();
  CHECK(monitor.finish().has_value());
  const int at_end = samples;
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  CHECK(samples == at_end);
}

TEST_CASE("a finished monitor does not wait out its period", "[profile]") {
  const auto begin = std::chrono::steady_clock::now();
  ClockMonitor monitor([] { return ClockSample{}; }, std::chrono::hours(1));
  CHECK(monitor.finish().has_value());
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::minutes(1));
}

}  // namespace
}  // namespace fa3prof::tests
