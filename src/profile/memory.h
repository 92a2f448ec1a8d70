// What a run needs of the GPU's memory, checked before anything is allocated.
#pragma once

#include "src/core/attention_problem.h"

#include <cstdint>

namespace fa3prof::profile {

/// Bytes of Q, K, V, O and LSE. A double: the product of allowed sizes does not fit 64 bits.
[[nodiscard]] double tensor_bytes(const core::AttentionProblem& problem);

/// Throws UnavailableError that states both numbers and which flags shrink the problem, if
/// `needed_bytes` is more than `free_bytes`.
void require_memory(const core::AttentionProblem& problem, double needed_bytes, double free_bytes);

}  // namespace fa3prof::profile
