// A point in time on a chain of dependent steps, and what the time before it was spent on.
#pragma once

#include <array>
#include <cstddef>

namespace fa3prof::sim {

/// What the steps of a path do; kRamp is all but tensor time outside the loop.
enum class PathPart { kTensor, kElementwise, kLoad, kBarrier, kRamp };

inline constexpr std::size_t kPathParts = 5;

/// A point in time and what the longest chain of steps up to it consists of. Parts sum to the time.
struct PathTime {
  std::array<double, kPathParts> parts{};
  double cycles = 0.0;

  [[nodiscard]] double part(PathPart part) const { return parts[static_cast<std::size_t>(part)]; }

  void add(PathPart part, double more_cycles) {
    parts[static_cast<std::size_t>(part)] += more_cycles;
    cycles += more_cycles;
  }

  /// this + factor * other. The longest chain may lead through other steps further on, so that a
  /// part comes out negative: it is set to zero and the others are scaled to keep the sum.
  [[nodiscard]] PathTime plus(double factor, const PathTime& other) const;

  /// (later - earlier) / count, with the same care.
  [[nodiscard]] static PathTime slope(const PathTime& earlier, const PathTime& later, double count);
};

}  // namespace fa3prof::sim
