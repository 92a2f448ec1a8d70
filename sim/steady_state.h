// Recognises that the loop of a tile repeats itself exactly, or, where it does not, takes what it
// does on average.
#pragma once

#include "sim/sm_state.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace fa3prof::sim {

/// States of an SM at the beginnings of trips of one instance, all within one tile.
class SteadyState {
 public:
  struct Repetition {
    std::int64_t trips = 0;  ///< of the loop in one period
    Moment duration;
  };

  void clear() { seen_.clear(); }

  /// Remembers the state; says how long ago it was the same, if it ever was; after many states
  /// that all differ, how long the last trips took. Instance `reference`
  /// is at the beginning of a loop trip and all others that have a loop are inside theirs.
  [[nodiscard]] std::optional<Repetition> note(const EventProgram& program, const SmState& state,
                                               std::size_t reference);

 private:
  struct Seen {
    std::vector<std::int64_t> code;
    std::int64_t trip = 0;
    Moment moment;
  };

  std::vector<Seen> seen_;
};

}  // namespace fa3prof::sim
