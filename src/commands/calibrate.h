// `fa3prof calibrate`: microbenchmarks on the GPU, written as a machine file for `simulate`.
#pragma once

#include "src/cli/output_options.h"
#include "src/commands/context.h"

#include <string>

namespace fa3prof::commands {

struct CalibrateOptions {
  profile::CalibrationRequest request;
  std::string machine_file;  ///< written; empty: none
  std::string base;          ///< machine whose other numbers are kept; empty: that of the GPU
  bool has_details = false;  ///< print every series
  cli::OutputOptions output;
};

void add_calibrate(CLI::App& app, Verb& chosen);

[[nodiscard]] core::ExitCode run_calibrate(const CalibrateOptions& options, const Context& context);

}  // namespace fa3prof::commands
