// A part of a sweep, so that several machines can run it.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace fa3prof::core {

/// Number `index` of `count`, from 1.
struct Shard {
  int index = 0;
  int count = 0;

  bool operator==(const Shard&) const = default;
};

/// "2/8": the second of eight. Throws UsageError naming `flag` for anything else.
[[nodiscard]] Shard parse_shard(std::string_view text, std::string_view flag);

/// Whether the problem with this number, from 0, belongs to the shard. Problems are dealt like
/// cards, 1/n gets the first, the (n+1)th and so on, so that lists sorted by size give every shard
/// large and small ones; each problem belongs to exactly one shard.
[[nodiscard]] bool is_in(const Shard& shard, std::size_t problem);

}  // namespace fa3prof::core
