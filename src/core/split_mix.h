// Random numbers for resampling: the same on every platform, which the distributions of <random> do
// not promise.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fa3prof::core {

/// Sebastiano Vigna's SplitMix64 (public domain), always from the same start.
class SplitMix64 {
 public:
  /// A number below `bound`. Its tiny bias does not matter here.
  std::size_t below(std::size_t bound) {
    std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15U;
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
    return (mixed ^ (mixed >> 31U)) % bound;
  }

 private:
  std::uint64_t state_ = 0;
};

}  // namespace fa3prof::core
