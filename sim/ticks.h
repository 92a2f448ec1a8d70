// Time as whole ticks: equal states then are bit for bit equal whenever they occur, so that the
// event engine can recognise a steady state and jump over it.
#pragma once

#include "src/core/error.h"

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

/// Some 10^15 cycles: no tile of any kernel, and beyond it sums might overflow.
inline constexpr Ticks kEndOfTime = Ticks{1} << 60;

/// now + count * duration. Throws UsageError beyond kEndOfTime.
[[nodiscard]] inline Ticks later(Ticks now, std::int64_t count, Ticks duration) {
  if (now > kEndOfTime || (duration > 0 && count > (kEndOfTime - now) / duration)) {
    throw core::UsageError(
        "a tile takes more than 10^15 cycles: a size, count or rate in the files is out of all "
        "bounds");
  }
  return now + count * duration;
}

[[nodiscard]] inline double to_cycles(Ticks ticks) {
  return static_cast<double>(ticks) / static_cast<double>(kTicksPerCycle);
}

}  // namespace fa3prof::sim
