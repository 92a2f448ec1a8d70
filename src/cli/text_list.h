// Lists of words in one flag: "fa2,fa3".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fa3prof::cli {

/// "fa2,fa3" -> {"fa2", "fa3"}. Throws UsageError naming `flag` for an empty or repeated word.
[[nodiscard]] std::vector<std::string> split_list(std::string_view text, std::string_view flag);

}  // namespace fa3prof::cli
