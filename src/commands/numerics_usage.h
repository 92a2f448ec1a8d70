// Which flags of `fa3prof numerics` a run reads. One that nothing reads is refused: its silence
// would pass for an effect.
#pragma once

#include "src/commands/numerics.h"

#include <CLI/CLI.hpp>

#include <vector>

namespace fa3prof::commands {

/// Throws UsageError for a flag that was given and that no experiment of the run reads.
/// `of_attention`: those that the experiment "attention" alone reads.
void require_used(const CLI::App& verb, const NumericsOptions& options,
                  const std::vector<const CLI::Option*>& of_attention);

}  // namespace fa3prof::commands
