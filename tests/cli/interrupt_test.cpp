// Signals that ask a long run to end.
#include "src/cli/interrupt.h"

#include "src/report/json.h"
#include "tests/catch.h"
#include "tests/cli/fake_program.h"
#include "tests/cli/temporary_directory.h"

#include <csignal>
#include <functional>
#include <sys/wait.h>
#include <unistd.h>

using namespace fa3prof;
using namespace fa3prof::tests;

namespace {

/// The signal that `act` dies of in a process of its own; 0 where it returns.
int deadly_signal(const std::function<void()>& act) {
  const pid_t child = fork();
  if (child == 0) {
    // Catch has handlers of its own.
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      static_cast<void>(std::signal(signal, SIG_DFL));
    }
    close(STDERR_FILENO);
    act();
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

}  // namespace

TEST_CASE("The first signal is noted and the second kills", "[cli]") {
  CHECK(deadly_signal([] { static_cast<void>(raise(SIGINT)); }) == SIGINT);
  CHECK(deadly_signal([] {
          const cli::InterruptWatch watch;
          static_cast<void>(raise(SIGINT));
        }) == 0);
  CHECK(deadly_signal([] {
          const cli::InterruptWatch watch;
          static_cast<void>(raise(SIGINT));
          static_cast<void>(raise(SIGTERM));
        }) == SIGTERM);
}

TEST_CASE("A noted signal is thrown once it is asked for, and gone with its watch", "[cli]") {
  CHECK(deadly_signal([] {
          {
            const cli::InterruptWatch watch;
            static_cast<void>(raise(SIGTERM));
            try {
              cli::InterruptWatch::check();
              cli::die_of(SIGABRT);
            } catch (const cli::Interrupted& interrupted) {
              if (interrupted.signal() != SIGTERM) cli::die_of(SIGABRT);
            }
          }
          cli::InterruptWatch::check();
        }) == 0);
}

TEST_CASE("A process that saved its work dies of the signal", "[cli]") {
  CHECK(deadly_signal([] { cli::die_of(SIGTERM); }) == SIGTERM);
}

TEST_CASE("A signal that was ignored stays ignored", "[cli]") {
  CHECK(deadly_signal([] {
          static_cast<void>(std::signal(SIGHUP, SIG_IGN));
          const cli::InterruptWatch watch;
          static_cast<void>(raise(SIGHUP));
          cli::InterruptWatch::check();
        }) == 0);
}

TEST_CASE("An interrupted sweep keeps what was measured and says what is missing", "[cli]") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("report.json", "as before");
  CHECK_THROWS_AS(
      run_program({"run", "--seq", "1k,2k,4k", "--json", file}, {.interrupted_at_seqlen = 2048}),
      cli::Interrupted);
  const core::Report report = report::load_report(file);
  REQUIRE(report.results.size() == 4);
  CHECK(report.results.front().problem.seqlen_q == 1024);
  REQUIRE(report.warnings.size() == 1);
  CHECK_THAT(report.warnings.front(),
             contains("ended early: stopped by SIGINT") && contains("2 problem(s) are missing") &&
                 contains("sq2048") && contains("sq4096") && !contains("sq1024"));
  CHECK(directory.size() == 1);
}

TEST_CASE("A sweep that is interrupted before anything is measured leaves the old report",
          "[cli]") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("report.json", "as before");
  CHECK_THROWS_AS(
      run_program({"run", "--seq", "2k,4k", "--json", file}, {.interrupted_at_seqlen = 2048}),
      cli::Interrupted);
  CHECK(directory.read("report.json") == "as before");
  CHECK(directory.size() == 1);
}

TEST_CASE("A sweep without a document ends at the first signal", "[cli]") {
  CHECK(deadly_signal([] {
          static_cast<void>(run_program({"run", "--seq", "2k"}, {.interrupted_at_seqlen = 2048}));
        }) == SIGINT);
}
