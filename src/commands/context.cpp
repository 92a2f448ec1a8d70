#include "src/commands/context.h"

#include "src/commands/calibrate.h"
#include "src/commands/compare.h"
#include "src/commands/doctor.h"
#include "src/commands/history.h"
#include "src/commands/list.h"
#include "src/commands/merge.h"
#include "src/commands/numerics.h"
#include "src/commands/prefill.h"
#include "src/commands/report.h"
#include "src/commands/run.h"
#include "src/commands/schema.h"
#include "src/commands/simulate.h"
#include "src/commands/tune.h"
#include "src/core/version.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <iostream>

namespace fa3prof::commands {
namespace {

std::string version_text() {
  const std::string_view toolkit = core::tool_cuda_toolkit();
  return fmt::format("fa3prof {} ({}), {}, {}", core::tool_version(), core::tool_commit(),
                     core::tool_compiler(),
                     toolkit.empty() ? "without CUDA" : fmt::format("CUDA {}", toolkit));
}

std::string utc_now() {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

}  // namespace

void add_verbs(CLI::App& app, Verb& chosen) {
  app.description("Where the cycles go in attention on Hopper: measures and simulates kernels.");
  app.set_version_flag("--version", version_text());
  app.require_subcommand(0, 1);  // so that `schema report` is the schema's name and no second verb
  chosen = [](const Context&) -> core::ExitCode {
    throw core::UsageError(
        "name a verb: run, simulate, prefill, tune, compare, history, merge, report, schema, "
        "numerics, calibrate, doctor or list; see fa3prof --help");
  };
  add_run(app, chosen);
  add_simulate(app, chosen);
  add_prefill(app, chosen);
  add_tune(app, chosen);
  add_compare(app, chosen);
  add_history(app, chosen);
  add_merge(app, chosen);
  add_report(app, chosen);
  add_schema(app, chosen);
  add_numerics(app, chosen);
  add_calibrate(app, chosen);
  add_doctor(app, chosen);
  add_list(app, chosen);
}

Context process_context(int argc, const char* const* argv) {
  return {.make_profiler = profile::make_profiler,
          .out = std::cout,
          .err = std::cerr,
          .terminal = cli::detect_terminal(),
          .command = {argv, argv + argc},
          .created_at = utc_now()};
}

}  // namespace fa3prof::commands
