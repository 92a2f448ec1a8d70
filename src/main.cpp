// The program: reads the command line, runs one verb, turns every error into a message and an exit
// code (src/core/error.h).
#include "src/cli/interrupt.h"
#include "src/commands/context.h"
#include "src/core/error.h"

#include <CLI/CLI.hpp>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

namespace {

using fa3prof::core::ExitCode;

int run_verb(int argc, char** argv) {
  CLI::App app("", "fa3prof");
  fa3prof::commands::Verb verb;
  fa3prof::commands::add_verbs(app, verb);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {  // --help and --version
    return app.exit(request);
  }
  return static_cast<int>(verb(fa3prof::commands::process_context(argc, argv)));
}

int fail(ExitCode code, const char* text, const char* hint = "") {
  std::fprintf(stderr, "fa3prof: %s%s\n", text, hint);
  return static_cast<int>(code);
}

}  // namespace

int main(int argc, char** argv) {
  // A reader that closes the pipe early (head) must not cost the report on disk.
  std::signal(SIGPIPE, SIG_IGN);
  // Nor may a limit on the size of files (ulimit -f) kill: then a write fails, which has a message.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return run_verb(argc, argv);
  } catch (const CLI::ParseError& error) {
    return fail(ExitCode::kUsage, error.what(), "; see fa3prof --help");
  } catch (const fa3prof::cli::Interrupted& interrupted) {
    fa3prof::cli::die_of(interrupted.signal());
  } catch (const fa3prof::core::Error& error) {
    return fail(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return fail(ExitCode::kUnavailable, "out of host memory; choose a smaller problem");
  } catch (const std::exception& error) {
    return fail(ExitCode::kDeviceFailed, error.what());
  }
}
