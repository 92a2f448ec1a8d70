#include "src/cli/text_list.h"

#include "src/core/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace fa3prof::cli {

std::vector<std::string> split_list(std::string_view text, std::string_view flag) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string word(text.substr(begin, comma - begin));
    begin = comma + 1;
    if (word.empty()) {
      throw core::UsageError(
          fmt::format("{}: '{}' has an empty item; write a list such as fa2,fa3", flag, text));
    }
    if (std::ranges::find(words, word) != words.end()) {
      throw core::UsageError(fmt::format("{}: '{}' is there twice; name it once", flag, word));
    }
    words.push_back(word);
  }
  return words;
}

}  // namespace fa3prof::cli
