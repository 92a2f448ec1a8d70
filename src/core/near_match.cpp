#include "src/core/near_match.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace fa3prof::core {
namespace {

/// Levenshtein distance.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> near_matches(std::string_view word, const std::vector<std::string>& known,
                                      std::size_t most) {
  constexpr std::size_t kShortestPart = 3;
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    const bool contains = word.size() >= kShortestPart && candidate.find(word) != std::string::npos;
    if (distance * 3 <= word.size() || contains) near.emplace_back(distance, candidate);
  }
  std::ranges::stable_sort(near, {}, &std::pair<std::size_t, std::string>::first);
  near.resize(std::min(near.size(), most));
  std::vector<std::string> words;
  std::ranges::transform(near, std::back_inserter(words),
                         &std::pair<std::size_t, std::string>::second);
  return words;
}

}  // namespace fa3prof::core
