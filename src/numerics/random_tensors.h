// Reproducible random inputs. Every value depends on (seed, stream, index) alone, so a tensor is
// the same on every machine, for any number of threads, and a longer one starts like a shorter one.
#pragma once

#include "src/core/attention_problem.h"

#include <array>
#include <cstdint>
#include <span>

namespace fa3prof::numerics {

/// Philox4x32 with 10 rounds, a bijection of the counter for each key: 128 random bits.
/// Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
[[nodiscard]] std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                                  std::array<std::uint32_t, 2> key);

/// Values 4 * block .. 4 * block + 3 of the N(0,1) sequence (seed, stream), before rounding to a
/// 16-bit type: Philox with key = seed and counter = (block, stream), two Box-Muller pairs.
/// Range: |value| <= sqrt(66 ln 2) = 6.76, the reach of a 32-bit uniform number.
[[nodiscard]] std::array<double, 4> normal_block(std::uint64_t seed, std::uint64_t stream,
                                                 std::uint64_t block);

/// out[i] = value i of the sequence (seed, stream), rounded to float, then to `dtype`. Give each
/// tensor its own stream. Uses all hardware threads. Throws UsageError unless dtype is fp16 or
/// bf16.
void fill_normal(std::span<std::uint16_t> out, core::DataType dtype, std::uint64_t seed,
                 std::uint64_t stream);

}  // namespace fa3prof::numerics
