// Flaws of a pipeline program that show without a machine or a problem.
#pragma once

#include "sim/pipeline.h"

#include <optional>
#include <string>

namespace fa3prof::sim {

/// What is wrong, naming role, step and barrier ("role consumer, loop step 1 (k_full): nothing ever
/// arrives on this barrier"), or nothing. Deadlocks are found by running the program for a few
/// trips with each of its tiles.
[[nodiscard]] std::optional<std::string> find_flaw(const Pipeline& pipeline);

}  // namespace fa3prof::sim
