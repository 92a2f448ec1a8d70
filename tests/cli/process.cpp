#include "tests/cli/process.h"

#include "tests/cli/temporary_directory.h"

#include <cstdlib>
#include <stdexcept>
#include <sys/wait.h>

namespace fa3prof::tests {

ProcessOutcome run_process(const std::string& arguments, const std::string& environment) {
  const TemporaryDirectory directory;
  const std::string command = environment + " '" FA3PROF_BINARY "' " + arguments + " >'" +
                              directory.path("out") + "' 2>'" + directory.path("err") + "'";
  const int status = std::system(command.c_str());
  if (!WIFEXITED(status)) throw std::runtime_error("killed by a signal: " + command);
  return {
      .exit_code = WEXITSTATUS(status), .out = directory.read("out"), .err = directory.read("err")};
}

}  // namespace fa3prof::tests
