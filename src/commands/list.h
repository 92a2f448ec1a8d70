// `fa3prof list`: the words that the other verbs understand.
#pragma once

#include "src/cli/output_options.h"
#include "src/commands/context.h"

#include <string>
#include <vector>

namespace fa3prof::commands {

struct ListOptions {
  std::vector<std::string> sections;  ///< "kernels", "machines", ...; empty: all
  cli::OutputOptions output;
};

void add_list(CLI::App& app, Verb& chosen);

[[nodiscard]] core::ExitCode run_list(const ListOptions& options, const Context& context);

}  // namespace fa3prof::commands
