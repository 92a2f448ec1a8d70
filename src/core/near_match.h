// Which of some words was meant, for messages about one that is unknown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fa3prof::core {

/// At most `most` of `known`, the nearest first: those within a third of the word's length by
/// Levenshtein distance and, for words of three letters and more, those that contain it.
[[nodiscard]] std::vector<std::string> near_matches(std::string_view word,
                                                    const std::vector<std::string>& known,
                                                    std::size_t most);

}  // namespace fa3prof::core
