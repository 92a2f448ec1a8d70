#include "tests/cli/process.h"

#include "tests/cli/temporary_directory.h"

#include <cstdlib>
#include <stdexcept>
#include <sys/wait.h>

namespace fa3prof::tests {

ProcessOutcome run_shell(const std::string& command) {
  const TemporaryDirectory directory;
  const std::string line =
      command + " </dev/null >'" + directory.path("out") + "' 2>'" + directory.path("err") +
      "'; exit $?";  // so that the shell stays, and turns a signal into an exit code above 128
  const int status = std::system(line.c_str());
  if (!WIFEXITED(status)) throw std::runtime_error("killed by a signal: " + line);
  return {
      .exit_code = WEXITSTATUS(status), .out = directory.read("out"), .err = directory.read("err")};
}

ProcessOutcome run_process(const std::string& arguments, const std::string& environment) {
  return run_shell(environment + " '" FA3PROF_BINARY "' " + arguments);
}

std::optional<ProcessOutcome> run_on_terminal(const std::string& arguments,
                                              const std::string& environment) {
  if (run_shell("command -v script").exit_code != 0) return std::nullopt;
  return run_shell("script -qec \"" + environment + " '" FA3PROF_BINARY "' " + arguments +
                   "\" /dev/null");
}

}  // namespace fa3prof::tests
