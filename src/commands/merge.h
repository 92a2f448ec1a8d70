// `fa3prof merge`: the reports of a sweep's shards as one report.
#pragma once

#include "src/commands/context.h"

#include <string>
#include <vector>

namespace fa3prof::commands {

struct MergeOptions {
  std::vector<std::string> reports;  ///< files
  std::string output;                ///< file, or "-" or "": stdout
  bool is_partial = false;
};

void add_merge(CLI::App& app, Verb& chosen);

/// Throws ConfigError for a file that is no report, UsageError for reports that do not belong
/// together.
[[nodiscard]] core::ExitCode run_merge(const MergeOptions& options, const Context& context);

}  // namespace fa3prof::commands
