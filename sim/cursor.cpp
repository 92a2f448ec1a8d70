#include "sim/cursor.h"

namespace fa3prof::sim {
namespace {

bool is_hidden_body(const std::vector<Step>& steps, std::size_t index) {
  return index < steps.size() && steps[index].when == StepFor::kHiddenBlocks;
}

}  // namespace

bool Cursor::settle(const Role& role, const CursorTiles& tiles) {
  while (true) {
    const auto& steps = role.steps(section);
    const bool is_inside = section != Section::kLoop || trip < tiles.current.trips;
    if (is_inside && index < steps.size()) {
      if (is_due(steps[index], tiles)) return true;
      ++index;
      continue;
    }
    if (leave_section(tiles)) return false;
  }
}

void Cursor::advance(const Role& role, const CursorTiles& tiles) {
  const auto& steps = role.steps(section);
  const bool was_hidden_body = is_hidden_body(steps, index);
  ++index;
  if (!was_hidden_body || is_hidden_body(steps, index)) return;
  const TileWork& work = section == Section::kCross ? tiles.next : tiles.current;
  if (++repeat_ == work.hidden) {
    repeat_ = 0;
    return;
  }
  while (index > 0 && is_hidden_body(steps, index - 1)) --index;
}

/// A cross section begins with the last P V of one tile, but its softmax is of the next tile.
bool Cursor::is_due(const Step& step, const CursorTiles& tiles) const {
  const TileWork& work = section == Section::kCross ? tiles.next : tiles.current;
  const std::int64_t block = section == Section::kLoop ? tiles.peeled_blocks + trip : 0;
  switch (step.when) {
    case StepFor::kMaskedBlock:
      return block < work.masked;
    case StepFor::kLastBlock:
      return section == Section::kLoop ? trip + 1 == work.trips : work.trips == 0;
    case StepFor::kHiddenBlocks:
      return work.hidden > 0;
    case StepFor::kEachBlock:
    case StepFor::kEachInstance:
      break;
  }
  return true;
}

/// True at the end of the tile.
bool Cursor::leave_section(const CursorTiles& tiles) {
  index = 0;
  switch (section) {
    case Section::kPrologue:
      section = Section::kLoop;
      trip = 0;
      return false;
    case Section::kLoop:
      if (++trip < tiles.current.trips) return false;
      trip = 0;
      section = tiles.has_cross && !tiles.is_last ? Section::kCross : Section::kEpilogue;
      return false;
    case Section::kCross:
      section = Section::kLoop;
      break;
    case Section::kEpilogue:
      section = Section::kPrologue;
      break;
  }
  trip = 0;
  ++tile;
  return true;
}

}  // namespace fa3prof::sim
