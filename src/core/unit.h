// The units in which keys of machine and pipeline files are counted.
#pragma once

#include <string>
#include <string_view>

namespace fa3prof::core {

/// "MHz" of "clock_load_mhz", "/cycle" of "mufu_per_cycle"; empty for a plain number.
[[nodiscard]] std::string unit_of(std::string_view key);

}  // namespace fa3prof::core
