// Books every elapsed cycle of an SM to one category.
#pragma once

#include "sim/sm_state.h"

#include <span>

namespace fa3prof::sim {

class TimeAccount {
 public:
  explicit TimeAccount(const EventProgram& program) : program_(program) {}

  /// Adds the units' time of a step that starts.
  static void add_busy(const EventOp& op, Moment& now);

  /// Books `duration` from now on, in which `sharers` run and the tensor unit has `tensor_speed`.
  /// The tensor unit's own work is tensor_busy; what it loses to FP32 work beside it counts as
  /// softmax. While it idles: elementwise work of the loop counts as softmax_exposed, else all of a
  /// tile's beginning and end as ramp, else waiting for a load as load_exposed, the rest as
  /// barrier.
  void pass(SmState& state, std::span<const Sharer> sharers, double tensor_speed,
            Ticks duration) const;

 private:
  [[nodiscard]] Category reason(const SmState& state) const;
  [[nodiscard]] Category reason(const Instance& at) const;

  const EventProgram& program_;
};

}  // namespace fa3prof::sim
