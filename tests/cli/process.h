// The built binary as a process: what a shell, a script or CI sees of it.
#pragma once

#include <optional>
#include <string>

namespace fa3prof::tests {

struct ProcessOutcome {
  int exit_code = 0;
  std::string out;
  std::string err;
};

/// Runs a shell command without input and reads what it wrote to its two streams.
[[nodiscard]] ProcessOutcome run_shell(const std::string& command);

/// Runs `fa3prof <arguments>` through the shell, neither stream being a terminal. `environment` is
/// put in front: "NO_COLOR=1".
[[nodiscard]] ProcessOutcome run_process(const std::string& arguments,
                                         const std::string& environment = "");

/// The same with both streams on one pseudo-terminal, by script(1); its text is in `out`. Nothing
/// where that program is missing.
[[nodiscard]] std::optional<ProcessOutcome> run_on_terminal(const std::string& arguments,
                                                            const std::string& environment);

}  // namespace fa3prof::tests
