// What a tile of each kind adds to the time of an SM that runs one tile after the other, by running
// a few of the same kind in a row.
#pragma once

#include "sim/sm_run.h"

#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
#include <vector>

namespace fa3prof::sim {

/// Time and where it goes, of one tile of a row of tiles of its kind.
struct TileCost {
  Moment first;   ///< from the start of a CTA until it goes on to the next tile
  Moment middle;  ///< between two others
  Moment last;    ///< until the CTA has ended
  Moment alone;   ///< the only tile of its CTA
};

class TileCosts {
 public:
  explicit TileCosts(const EventProgram& program) : program_(program) {}

  /// A tile on each of `slots` CTAs of an SM. Kinds that differ only in whole periods of a loop's
  /// steady state differ by its duration, but for the rounding of ticks; only the shortest of them
  /// is run.
  [[nodiscard]] TileCost cost(const TileKind& kind, std::size_t slots);

 private:
  /// A kind but for its length: hidden and masked blocks by instance, and trips relative to the
  /// first instance's.
  using Pattern = std::vector<std::int64_t>;

  struct Known {
    std::int64_t trips = 0;
    TileCost cost;
    std::int64_t period_trips = 0;  ///< 0: the loop is too short for its steady state
    Moment period;
  };

  [[nodiscard]] Known run(const TileKind& kind, std::size_t slots) const;
  [[nodiscard]] static const Known* base_for(const std::vector<Known>& known, std::int64_t trips);

  const EventProgram& program_;
  std::map<std::tuple<std::size_t, double, Pattern>, std::vector<Known>> known_;
};

}  // namespace fa3prof::sim
