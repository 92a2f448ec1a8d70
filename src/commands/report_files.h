// Files that `--json` wrote, each with the name that tells it from the others.
#pragma once

#include "src/report/row_text.h"

#include <string>
#include <vector>

namespace fa3prof::commands {

/// Loads every file; its name is the file's without folder and ending, or the path as given where
/// that is not enough to tell two apart. Throws ConfigError for what is no report or has no
/// results, UsageError for a path that is given twice.
[[nodiscard]] std::vector<report::NamedReport> load_reports(const std::vector<std::string>& paths);

}  // namespace fa3prof::commands
