// How running steps share the units of an SM, and how the tensor unit and they slow each other.
#pragma once

#include "sim/event_program.h"

#include <array>
#include <span>

namespace fa3prof::sim {

/// A running step and the share of its full speed that it gets.
struct Sharer {
  const EventOp* op = nullptr;
  double speed = 0.0;
  bool is_held = false;
  double slowed_to = 1.0;  ///< the part of its speed that WGMMA beside it leaves
};

/// Max-min fair: all speeds rise together until a unit is full or a step has its full speed; who is
/// held back keeps what it has, the others go on. All then run at `slowed_to` times that.
void share_units(std::span<Sharer> sharers);

/// Use of a unit, 0 to 1.
[[nodiscard]] double use_of(Resource unit, std::span<const Sharer> sharers);

}  // namespace fa3prof::sim
