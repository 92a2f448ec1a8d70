// `fa3prof compare`: whether a build is slower than another, for people and for CI.
#pragma once

#include "src/analysis/comparability.h"
#include "src/cli/output_options.h"
#include "src/commands/context.h"

#include <set>
#include <string>
#include <vector>

namespace fa3prof::commands {

enum class CompareFormat { kTable, kMarkdown, kJunit };

struct CompareOptions {
  std::string base;   ///< file
  std::string fresh;  ///< file
  double max_regression_ratio = 0.03;
  bool is_strict = false;            ///< no verdict is no success
  std::vector<std::string> kernels;  ///< only these; empty: all
  std::set<analysis::Condition> may_differ;
  CompareFormat format = CompareFormat::kTable;
  std::string text_file;  ///< for the format; empty: stdout
  cli::OutputOptions output;
};

void add_compare(CLI::App& app, Verb& chosen);

/// kDone when nothing is slower, kCheckFailed when something is, kUnavailable when it is strict and
/// something is inconclusive or missing. Throws ConfigError for a file that is no report,
/// UsageError where the two may not be compared.
[[nodiscard]] core::ExitCode run_compare(const CompareOptions& options, const Context& context);

}  // namespace fa3prof::commands
