#include "src/analysis/stability.h"

#include "src/core/statistics.h"
#include "src/core/steadiness.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace fa3prof::analysis {
namespace {

using core::Result;
using core::Timing;

constexpr double kDriftLimit = 0.02;   // above the 1 % that a median is known to
constexpr double kLevelsLimit = 0.02;  // more than one step of the clock
constexpr double kMsPerSecond = 1e3;
constexpr std::string_view kPowerCap = "power cap";
constexpr std::string_view kOwnersClock = "application clocks setting";
constexpr std::string_view kSettleCure = "let it settle for longer (--settle), or cool the GPU";

bool is_burst(const Timing& timing) { return timing.method && timing.method->pause_ms > 0.0; }

std::optional<std::string> unsteady_start(const Timing& timing) {
  if (!timing.warm_up || timing.warm_up->is_steady != false) return std::nullopt;
  return fmt::format("the clock was still moving after {:.1f} s of load; {}",
                     timing.warm_up->duration_ms / kMsPerSecond, kSettleCure);
}

/// ", as it warmed from 45 to 58 C", where the temperature is known and moved.
std::string warming(const Timing& timing) {
  const auto& celsius = timing.samples_temperature_celsius;
  if (celsius.empty() || celsius.back() <= celsius.front()) return "";
  return fmt::format(" as the GPU warmed from {:.0f} to {:.0f} C", celsius.front(), celsius.back());
}

std::string moved(std::string_view what, double ratio) {
  return fmt::format("the {} {} by {:.1f} % while timing", what, ratio > 0.0 ? "rose" : "fell",
                     std::abs(ratio) * 100.0);
}

std::vector<double> cycles_of(const Timing& timing) {
  std::vector<double> cycles;
  for (std::size_t i = 0; i < timing.samples_us.size(); ++i) {
    cycles.push_back(timing.samples_us[i] * timing.samples_clock_mhz[i]);
  }
  return cycles;
}

/// The clock's, or else that of the cycles, which no clock explains; without clocks the times'.
std::optional<std::string> drift(const Timing& timing) {
  constexpr std::string_view kUnknown = "; something else may have used the GPU: see nvidia-smi";
  if (timing.samples_clock_mhz.size() != timing.samples_us.size()) {
    const auto times = core::significant_drift(timing.samples_us, kDriftLimit);
    if (!times) return std::nullopt;
    return fmt::format("{}{}; {}", moved("times", *times), warming(timing), kSettleCure);
  }
  if (const auto clock = core::significant_drift(timing.samples_clock_mhz, kDriftLimit)) {
    return fmt::format("{}{}; {}", moved("clock", *clock), warming(timing), kSettleCure);
  }
  const auto cycles = core::significant_drift(cycles_of(timing), kDriftLimit);
  if (!cycles) return std::nullopt;
  return moved("cycles", *cycles) + std::string(kUnknown);
}

std::optional<std::string> hopping(const Timing& timing) {
  const auto levels = core::two_levels(timing.samples_clock_mhz, kLevelsLimit);
  if (!levels) return std::nullopt;
  return fmt::format(
      "the clock hopped between {:.0f} MHz and {:.0f} MHz, in {:.0f} % of the launches; judge by "
      "cycles, as compare does, or set one clock (nvidia-smi --lock-gpu-clocks)",
      levels->low, levels->high, levels->high_share_ratio * 100.0);
}

/// Each reason with the share of launches that had it.
std::map<std::string, double> throttled_shares(const Result& result) {
  std::map<std::string, double> shares;
  const auto& samples = result.timing->samples_throttle_reasons;
  for (const std::string& joined : samples) {
    for (std::size_t begin = 0; begin < joined.size();) {
      const std::size_t end = std::min(joined.find(", ", begin), joined.size());
      shares[joined.substr(begin, end - begin)] += 1.0 / static_cast<double>(samples.size());
      begin = end + 2;
    }
  }
  if (samples.empty() && result.clocks) {
    for (const std::string& reason : result.clocks->throttle_reasons) shares[reason] = 1.0;
  }
  return shares;
}

void add_throttling(const Result& result, std::vector<std::string>& texts) {
  for (const auto& [reason, share] : throttled_shares(result)) {
    const bool is_expected =
        reason == kOwnersClock || (reason == kPowerCap && !is_burst(*result.timing));
    if (is_expected) continue;
    texts.push_back(fmt::format("{} held the clock back in {:.0f} % of the launches; {}", reason,
                                share * 100.0, throttling_cure(reason)));
  }
}

}  // namespace

std::string throttling_cure(const std::string& reason) {
  // What each means: nvmlClocksEventReasons of the NVML API reference.
  static const std::array<std::pair<std::string_view, std::string_view>, 7> kCures{{
      {"power cap", "let the GPU rest for longer (--pause)"},
      {"hardware slowdown", "check cooling and power supply, and the kernel log for an Xid"},
      {"software thermal slowdown", "cool the GPU: air flow, fans, neighbours that are busy"},
      {"hardware thermal slowdown", "cool the GPU: air flow, fans, neighbours that are busy"},
      {"hardware power brake", "check the power supplies of the server, which asked for it"},
      {"sync boost", "take the GPU out of its sync boost group: the slowest sets the clock"},
      {"display clock setting", "measure on a GPU without a display"},
  }};
  for (const auto& [known, cure] : kCures) {
    if (reason == known) return std::string(cure);
  }
  return "see nvidia-smi -q -d PERFORMANCE";
}

std::vector<std::string> instabilities(const Result& result) {
  std::vector<std::string> texts;
  if (result.source != core::ResultSource::kMeasured || !result.timing) return texts;
  const Timing& timing = *result.timing;
  const auto add = [&texts](const std::optional<std::string>& text) {
    if (text) texts.push_back(*text);
  };
  add(unsteady_start(timing));
  const auto drifted = drift(timing);
  add(drifted ? drifted : hopping(timing));  // a step shows as both
  add_throttling(result, texts);
  return texts;
}

}  // namespace fa3prof::analysis
