// Runs the CTAs of one SM through their tiles, event by event. Between two events nothing changes:
// every running step has its share of the units. docs/model.md describes the physics.
#pragma once

#include "sim/sm_state.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace fa3prof::sim {

/// A loop's exact period in the state that repeats.
struct LoopPeriod {
  std::int64_t trips = 0;
  Moment duration;
};

struct SmRunResult {
  /// By slot and tile: when the CTA went on to the next tile, or ended. With a cross section the
  /// first role instance that uses the tensor unit counts, else the last of all.
  std::vector<std::vector<Moment>> tile_ends;
  std::vector<std::optional<LoopPeriod>>
      periods;  ///< of the first slot's tiles, where one was found
  Moment end;
  std::optional<std::string> stuck;  ///< who waits for what for ever
};

struct SmRunRequest {
  const EventProgram& program;
  const SmTiles& tiles;
  bool jumps = true;  ///< over the steady state of loops, which only a `watch` and tests forgo
  /// Sees the state at every moment at which something changes, after all that happens there.
  std::function<void(const SmState&)> watch = {};
};

[[nodiscard]] SmRunResult run_sm(const SmRunRequest& request);

}  // namespace fa3prof::sim
