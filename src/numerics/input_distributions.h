// Inputs that attention kernels find easy or hard, in FP32 and reproducible: every value depends on
// the seed, the tensor and its index alone.
#pragma once

#include "src/numerics/kernel_numerics.h"

#include <cstdint>
#include <string_view>

namespace fa3prof::numerics {

enum class Distribution {
  kNormal,           ///< N(0, 1)
  kOutliers,         ///< N(0, 1) + N(0, 100) * Bernoulli(0.001), FlashAttention-3 section 4.3
  kChannelOutliers,  ///< N(0, 1), channel 4 of K times 15, channel 19 of Q times 12, as in the
                     ///< guide
  kSink,             ///< N(0, 1), and a first key that all queries prefer by 10, of value zero
  kValueMean,        ///< N(0, 1), V with mean 1: what sums over many keys drift on
};

/// "normal", "outliers", "channels", "sink", "v-mean".
[[nodiscard]] std::string_view name_of(Distribution distribution);

/// Throws UsageError for a problem that is none, or for kChannelOutliers with head_dim below 20.
[[nodiscard]] AttentionInputs draw_inputs(const core::AttentionProblem& problem,
                                          Distribution distribution, std::uint64_t seed);

}  // namespace fa3prof::numerics
