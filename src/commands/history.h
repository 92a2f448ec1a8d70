// `fa3prof history`: how kernels' times went over a folder of reports.
#pragma once

#include "src/cli/output_options.h"
#include "src/commands/context.h"

#include <string>

namespace fa3prof::commands {

enum class HistoryFormat { kTable, kMarkdown, kHtml };

struct HistoryOptions {
  std::string folder;
  double max_regression_ratio = 0.03;
  HistoryFormat format = HistoryFormat::kTable;
  std::string text_file;  ///< of the format; empty: stdout
  cli::OutputOptions output;
};

void add_history(CLI::App& app, Verb& chosen);

/// Throws UsageError for a folder that cannot be read or holds no report. A JSON file in it that is
/// none is left out with a warning.
[[nodiscard]] core::ExitCode run_history(const HistoryOptions& options, const Context& context);

}  // namespace fa3prof::commands
