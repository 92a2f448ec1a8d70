// Where an instance of a role stands in its program. Both engines walk programs with it, so that
// they agree on what a kernel does.
#pragma once

#include "sim/pipeline.h"

#include <cstddef>
#include <cstdint>

namespace fa3prof::sim {

/// What one tile asks of one role instance.
struct TileWork {
  std::int64_t trips = 0;   ///< of the loop
  std::int64_t hidden = 0;  ///< key blocks of the tile that none of the instance's rows sees
  std::int64_t masked = 0;  ///< blocks, the first ones visited, that some row does not see whole

  bool operator==(const TileWork&) const = default;
};

/// The tiles around a cursor.
struct CursorTiles {
  TileWork current;
  TileWork next;           ///< that a cross section enters
  bool is_last = true;     ///< there is no next tile
  bool has_cross = false;  ///< of the pipeline
  std::int64_t peeled_blocks = 0;
};

class Cursor {
 public:
  std::int64_t tile = 0;
  Section section = Section::kPrologue;
  std::int64_t trip = 0;
  std::size_t index = 0;

  /// Moves to the next step that is to be done, at most to the end of the tile. False there: `tile`
  /// then counts one more, and the caller says what its tiles are now.
  [[nodiscard]] bool settle(const Role& role, const CursorTiles& tiles);

  /// Past the step that settle found.
  void advance(const Role& role, const CursorTiles& tiles);

  bool operator==(const Cursor&) const = default;

 private:
  [[nodiscard]] bool is_due(const Step& step, const CursorTiles& tiles) const;
  bool leave_section(const CursorTiles& tiles);

  std::int64_t repeat_ = 0;  ///< of a body for hidden blocks
};

}  // namespace fa3prof::sim
