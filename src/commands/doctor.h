// `fa3prof doctor`: what this machine has and lacks for `run`, and the cure.
#pragma once

#include "src/cli/output_options.h"
#include "src/commands/context.h"

namespace fa3prof::commands {

struct DoctorOptions {
  int device = 0;
  cli::OutputOptions output;
};

void add_doctor(CLI::App& app, Verb& chosen);

/// kDone when `run` can work here, with or without counters; kUnavailable when it cannot.
[[nodiscard]] core::ExitCode run_doctor(const DoctorOptions& options, const Context& context);

}  // namespace fa3prof::commands
