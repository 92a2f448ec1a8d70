#include "src/analysis/stability.h"

#include "tests/analysis/made_series.h"
#include "tests/catch.h"

#include <algorithm>

using namespace fa3prof;
using namespace fa3prof::tests;

namespace {

core::Result calm_row() {
  core::Result row = row_of_series(steady(1500.0, 120));
  row.timing->samples_throttle_reasons.assign(120, "power cap");
  return row;
}

std::string joined(const core::Result& row) {
  std::string text;
  for (const std::string& line : analysis::instabilities(row)) text += line + "\n";
  return text;
}

void make_burst(core::Result& row) {
  row.timing->method->mode = "burst";
  row.timing->method->pause_ms = 50.0;
  row.timing->samples_throttle_reasons.clear();
  row.clocks->throttle_reasons.clear();
}

}  // namespace

TEST_CASE("A steady load at its power cap is in order", "[analysis]") {
  CHECK(joined(calm_row()).empty());
  core::Result simulated = calm_row();
  simulated.source = core::ResultSource::kDiscreteEvent;
  simulated.timing->samples_throttle_reasons.assign(120, "sync boost");
  CHECK(joined(simulated).empty());
}

TEST_CASE("A clock that falls while timing is named with the warming and the cure", "[analysis]") {
  core::Result row = row_of_series(drifting(1500.0, 0.06));
  CHECK_THAT(joined(row), contains("the clock fell by 3.") && contains("--settle"));
  row.timing->samples_temperature_celsius.assign(120, 45.0);
  row.timing->samples_temperature_celsius.back() = 58.0;
  CHECK_THAT(joined(row), contains("while timing as the GPU warmed from 45 to 58 C"));
}

TEST_CASE("Cycles that rise at a steady clock are no matter of the clock", "[analysis]") {
  core::Result row = calm_row();
  auto& times = row.timing->samples_us;
  for (std::size_t i = times.size() / 2; i < times.size(); ++i) times[i] *= 1.05;
  CHECK_THAT(joined(row), contains("the cycles rose by 4.") && contains("nvidia-smi"));
}

TEST_CASE("Times drift where no clock was read", "[analysis]") {
  core::Result row = row_of_series(drifting(1500.0, 0.06));
  row.timing->samples_clock_mhz.clear();
  CHECK_THAT(joined(row), contains("the times rose by"));
}

TEST_CASE("A clock that hops between two levels is named with both", "[analysis]") {
  core::Result row = row_of_series(hopping(1500.0, 5));
  CHECK_THAT(joined(row),
             contains("hopped between 1610 MHz and 1650 MHz, in 50 % of the launches"));
}

TEST_CASE("What else holds the clock back is said with its share and a cure", "[analysis]") {
  core::Result row = calm_row();
  for (std::size_t i = 0; i < 30; ++i) {
    row.timing->samples_throttle_reasons[i] = "power cap, hardware thermal slowdown";
  }
  CHECK_THAT(joined(row), contains("hardware thermal slowdown held the clock back in 25 % of the "
                                   "launches; cool the GPU"));
  CHECK_THAT(joined(row), !contains("power cap"));
  CHECK_THAT(analysis::throttling_cure("unknown reason 0x200"), contains("nvidia-smi -q"));
}

TEST_CASE("Without reasons of samples those of the whole run count", "[analysis]") {
  core::Result row = calm_row();
  row.timing->samples_throttle_reasons.clear();
  row.clocks->throttle_reasons = {"hardware power brake"};
  CHECK_THAT(joined(row), contains("hardware power brake held the clock back in 100 %"));
}

TEST_CASE("A burst at the power cap is told of", "[analysis]") {
  core::Result row = row_of_series(at_clock(steady(1500.0, 60), 1975.0));
  make_burst(row);
  CHECK(joined(row).empty());
  row.timing->samples_throttle_reasons.assign(60, "");
  row.timing->samples_throttle_reasons[5] = "power cap";
  CHECK_THAT(joined(row), contains("power cap held the clock back in 2 % of the launches") &&
                              contains("--pause"));
  // A heavy launch lowers the clock by itself.
  core::Result slow = row_of_series(at_clock(steady(1500.0, 60), 1700.0));
  make_burst(slow);
  CHECK(joined(slow).empty());
}

TEST_CASE("A load that was not steady before the first sample is said", "[analysis]") {
  core::Result row = calm_row();
  row.timing->warm_up = core::WarmUp{
      .launches = 9000, .duration_ms = 18'000.0, .clock_mhz = 1600.0, .is_steady = false};
  CHECK_THAT(joined(row), contains("still moving after 18.0 s of load; let it settle for longer"));
}
