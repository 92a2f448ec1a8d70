// Quantises 16-bit Q, K and V to e4m3 on the GPU, as the attention kernel for e4m3 reads them: one
// scale for a block of rows or for a head, Q and K rotated so that outliers spread over the head's
// channels, V without its mean, transposed. Not part of an attention kernel, and timed apart.
//
// The rotation x -> x D H / sqrt(d), D random signs and H the Hadamard matrix, leaves Q K^T as it
// is (arXiv 2407.08608, section 3.3). Rows of attention weights sum to 1, so that O is what the
// rest of V gives plus V's mean.
//
// A block of zeros has the factor 1. NaN and infinities become NaN, and count for no factor.
#pragma once

#include "kernels/attention.h"
#include "kernels/quantize/layout.h"
#include "src/core/attention_problem.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace fa3prof::kernels::quantize {

/// Sign of each channel, one bit each; set: negative.
using Signs = std::array<std::uint32_t, 8>;

/// Signs drawn from `seed` (splitmix64).
[[nodiscard]] Signs random_signs(std::uint64_t seed);

enum class Scales { kPerBlock, kPerHead };

struct Options {
  Scales scales = Scales::kPerBlock;
  bool rotates = true;       ///< Q and K
  bool removes_mean = true;  ///< of each channel of V
  Signs signs = {};
};

/// Device memory that quantize() needs, to be aligned to 16 bytes.
[[nodiscard]] std::size_t memory_bytes(const core::AttentionProblem& problem, const Tiles& tiles);

/// Enqueues the kernels on `stream`: q, k and v of `tensors` to `memory`. fp16 or bf16; head_dim
/// 64, 128 or 256. Throws DeviceError if a call fails.
QuantizedTensors quantize(const core::AttentionProblem& problem, const Tiles& tiles,
                          const AttentionTensors& tensors, const Options& options, void* memory,
                          cudaStream_t stream);

}  // namespace fa3prof::kernels::quantize
