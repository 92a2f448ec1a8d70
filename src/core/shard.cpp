#include "src/core/shard.h"

#include "src/core/error.h"

#include <fmt/format.h>

#include <charconv>

namespace fa3prof::core {
namespace {

/// The whole text as a number of at least 1, or 0.
int count_of(std::string_view text) {
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end && number >= 1 ? number : 0;
}

}  // namespace

Shard parse_shard(std::string_view text, std::string_view flag) {
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    const Shard shard{.index = count_of(text.substr(0, slash)),
                      .count = count_of(text.substr(slash + 1))};
    if (shard.index >= 1 && shard.index <= shard.count) return shard;
  }
  throw UsageError(fmt::format(
      "{}: '{}' is no part of a sweep; write 1/4 to 4/4 for a quarter each", flag, text));
}

bool is_in(const Shard& shard, std::size_t problem) {
  return problem % static_cast<std::size_t>(shard.count) ==
         static_cast<std::size_t>(shard.index - 1);
}

}  // namespace fa3prof::core
