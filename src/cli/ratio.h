// Ratios on the command line.
#pragma once

#include <string_view>

namespace fa3prof::cli {

/// "0.03" or "3%" -> 0.03. Throws UsageError naming `flag` for what is no number or outside 0..1:
/// a bare 3 is refused, since it may be meant as either.
[[nodiscard]] double parse_ratio(std::string_view text, std::string_view flag);

}  // namespace fa3prof::cli
