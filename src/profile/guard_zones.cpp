#include "src/profile/guard_zones.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace fa3prof::profile {
namespace {

bool is_touched(std::uint8_t byte) { return byte != kGuardByte; }

}  // namespace

std::optional<std::string> find_overwrite(std::string_view tensor, const GuardZones& zones) {
  const auto past = std::ranges::find_if(zones.after, is_touched);
  if (past != zones.after.end()) {
    return fmt::format("{} was written out of bounds, {} bytes past its end", tensor,
                       std::distance(zones.after.begin(), past));
  }
  const auto last = std::find_if(zones.before.rbegin(), zones.before.rend(), is_touched);
  if (last != zones.before.rend()) {
    return fmt::format("{} was written out of bounds, {} bytes before its beginning", tensor,
                       std::distance(zones.before.rbegin(), last) + 1);
  }
  return std::nullopt;
}

}  // namespace fa3prof::profile
