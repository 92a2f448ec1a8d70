// `fa3prof run --generations`: which kernels that means.
#pragma once

#include "src/commands/run.h"

#include <CLI/CLI.hpp>

namespace fa3prof::commands {

/// Adds the flag, which sets options.compares_generations; `options` must live until the app has
/// parsed.
void add_generations_option(CLI::App& verb, RunOptions& options);

/// Names a kernel of each generation, before those that the user named; one that does not take the
/// problem is left out.
void make_generations(RunOptions& options);

}  // namespace fa3prof::commands
