#include "src/core/unit.h"

#include <algorithm>
#include <array>

namespace fa3prof::core {

std::string unit_of(std::string_view key) {
  struct Ending {
    std::string_view ending;
    std::string_view unit;
  };

  constexpr std::array kEndings{Ending{"_mhz", "MHz"},
                                Ending{"bytes_per_cycle", "B/cycle"},
                                Ending{"flop_per_cycle", "FLOP/cycle"},
                                Ending{"_per_fp32_cycle", "cycles/cycle"},
                                Ending{"_per_cycle", "/cycle"},
                                Ending{"bytes_per_s", "B/s"},
                                Ending{"bytes", "B"},
                                Ending{"_us", "us"},
                                Ending{"cycles", "cycles"},
                                Ending{"_instructions", "instructions"}};
  const auto known = std::ranges::find_if(
      kEndings, [key](const Ending& each) { return key.ends_with(each.ending); });
  return known == kEndings.end() ? "" : std::string(known->unit);
}

}  // namespace fa3prof::core
