#include "sim/unit_sharing.h"

#include <algorithm>

namespace fa3prof::sim {
namespace {

constexpr double kFull = 1.0 - 1e-12;

/// By how much the speeds of those not `is_held` can rise together.
double possible_rise(std::span<const Sharer> sharers) {
  double rise = 1.0;
  std::array<double, kSharedUnits> used{};
  std::array<double, kSharedUnits> rising{};
  for (const Sharer& sharer : sharers) {
    if (!sharer.is_held) rise = std::min(rise, 1.0 - sharer.speed);
    for (std::size_t i = 0; i < kSharedUnits; ++i) {
      used[i] += sharer.op->share[i] * sharer.speed;
      if (!sharer.is_held) rising[i] += sharer.op->share[i];
    }
  }
  for (std::size_t i = 0; i < kSharedUnits; ++i) {
    if (rising[i] > 0.0) rise = std::min(rise, (1.0 - used[i]) / rising[i]);
  }
  return std::max(0.0, rise);
}

bool is_on_full_unit(const Sharer& sharer, std::span<const Sharer> sharers) {
  for (std::size_t i = 0; i < kSharedUnits; ++i) {
    if (sharer.op->share[i] == 0.0) continue;
    if (use_of(static_cast<Resource>(i), sharers) >= kFull) return true;
  }
  return false;
}

}  // namespace

double use_of(Resource unit, std::span<const Sharer> sharers) {
  double use = 0.0;
  for (const Sharer& sharer : sharers) {
    use += sharer.op->share[static_cast<std::size_t>(unit)] * sharer.speed;
  }
  return use;
}

void share_units(std::span<Sharer> sharers) {
  for (Sharer& sharer : sharers) {
    sharer.speed = 0.0;
    sharer.is_held = false;
  }
  for (std::size_t held = 0; held < sharers.size();) {
    const double rise = possible_rise(sharers);
    for (Sharer& sharer : sharers) {
      if (!sharer.is_held) sharer.speed += rise;
    }
    const std::size_t before = held;
    for (Sharer& sharer : sharers) {
      if (sharer.is_held) continue;
      sharer.is_held = sharer.speed >= kFull || is_on_full_unit(sharer, sharers);
      held += sharer.is_held ? 1 : 0;
    }
    if (held == before) break;
  }
  for (Sharer& sharer : sharers) sharer.speed *= sharer.slowed_to;
}

}  // namespace fa3prof::sim
