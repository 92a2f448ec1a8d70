// What a verb gets from the program around it. Tests put strings and a fake profiler in its place.
#pragma once

#include "src/cli/terminal.h"
#include "src/core/error.h"
#include "src/core/report.h"
#include "src/profile/calibration.h"
#include "src/profile/profiler.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace fa3prof::commands {

struct Context {
  std::function<std::unique_ptr<profile::Profiler>()> make_profiler;
  std::ostream& out;  ///< the asked-for result
  std::ostream& err;  ///< all else
  cli::Terminal terminal;
  std::vector<std::string> command;  ///< argv, for reports
  std::string created_at;            ///< UTC, ISO 8601
  std::function<std::vector<profile::Series>(const profile::CalibrationRequest&,
                                             const profile::CalibrationProgress&)>
      measure_machine = profile::measure_machine;
};

/// What the command line asked for: run after parsing, so that no work starts on a bad one.
using Verb = std::function<core::ExitCode(const Context&)>;

/// Adds all verbs and --version to `app`; parsing fills `chosen`.
void add_verbs(CLI::App& app, Verb& chosen);

/// This program, as a process runs it: argv, standard streams, the build's profiler.
[[nodiscard]] Context process_context(int argc, const char* const* argv);

}  // namespace fa3prof::commands
