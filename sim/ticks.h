// Time as whole ticks: equal states then are bit for bit equal whenever they occur, so that the
// event engine can recognise a steady state and jump over it.
#pragma once

#include <cmath>
#include <cstdint>

namespace fa3prof::sim {

using Ticks = std::int64_t;

inline constexpr Ticks kTicksPerCycle = 1024;

/// Beyond this a duration is an absurd number of a file, not a step of a kernel.
inline constexpr double kMostCyclesOfAStep = 1e12;

[[nodiscard]] inline Ticks to_ticks(double cycles) {
  return std::llround(std::fmin(cycles, kMostCyclesOfAStep) * static_cast<double>(kTicksPerCycle));
}

[[nodiscard]] inline double to_cycles(Ticks ticks) {
  return static_cast<double>(ticks) / static_cast<double>(kTicksPerCycle);
}

}  // namespace fa3prof::sim
