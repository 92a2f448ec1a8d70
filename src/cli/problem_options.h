// The flags that state attention problems; the same words in every verb.
#pragma once

#include "src/core/problem_grid.h"

#include <CLI/CLI.hpp>

namespace fa3prof::cli {

/// Adds --seq, --seq-kv, --head-dim, --batch, --heads, --kv-heads (lists of sizes), --causal,
/// --no-causal (both: each problem with and without) and --dtype (a list). Only stated flags fill
/// `grid`, so that it can override a file. `grid` must live until the app has parsed; a bad value
/// throws UsageError from the parse.
void add_problem_options(CLI::App& app, core::ProblemGrid& grid);

}  // namespace fa3prof::cli
