// Shows that rotating Q and K changes no score: (Q M)(K M)^T against Q K^T in FP64.
#pragma once

#include <cstdint>
#include <vector>

namespace fa3prof::numerics {

struct RotationError {
  std::int64_t head_dim = 0;
  /// Largest |difference| over the norms of its row of Q and its row of K, of 64 x 64 scores. The
  /// unit of FP64's rounding is 1.1e-16.
  double max_relative = 0.0;
};

/// For each power of two from 1 to 512, on N(0, 1).
[[nodiscard]] std::vector<RotationError> rotation_errors(std::uint64_t seed);

}  // namespace fa3prof::numerics
