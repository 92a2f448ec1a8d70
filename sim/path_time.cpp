#include "sim/path_time.h"

#include <algorithm>

namespace fa3prof::sim {
namespace {

/// Sets negative parts to zero and scales the others so that they sum to `cycles`.
PathTime without_negative_parts(PathTime time, double cycles) {
  time.cycles = std::max(0.0, cycles);
  double positive = 0.0;
  for (const double part : time.parts) positive += std::max(0.0, part);
  if (std::ranges::none_of(time.parts, [](double part) { return part < 0.0; })) return time;
  for (double& part : time.parts) {
    part = positive > 0.0 ? std::max(0.0, part) * time.cycles / positive : 0.0;
  }
  return time;
}

}  // namespace

PathTime PathTime::plus(double factor, const PathTime& other) const {
  PathTime sum = *this;
  for (std::size_t i = 0; i < kPathParts; ++i) sum.parts[i] += factor * other.parts[i];
  return without_negative_parts(sum, cycles + factor * other.cycles);
}

PathTime PathTime::slope(const PathTime& earlier, const PathTime& later, double count) {
  PathTime slope;
  for (std::size_t i = 0; i < kPathParts; ++i) {
    slope.parts[i] = (later.parts[i] - earlier.parts[i]) / count;
  }
  return without_negative_parts(slope, (later.cycles - earlier.cycles) / count);
}

}  // namespace fa3prof::sim
