// The flags of `run` that say how it measures.
#pragma once

#include "src/profile/profiler.h"

#include <CLI/CLI.hpp>

namespace fa3prof::commands {

/// Heading of these flags in --help.
inline constexpr const char* kMeasuring = "Measuring";

/// Adds them under one heading. `request` must live until the app has parsed.
void add_measuring_options(CLI::App& verb, profile::RunRequest& request);

}  // namespace fa3prof::commands
