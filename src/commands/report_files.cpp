#include "src/commands/report_files.h"

#include "src/core/error.h"
#include "src/report/json.h"

#include <algorithm>
#include <filesystem>

namespace fa3prof::commands {
namespace {

/// The name of each file without folder and ending; the path as given where that is not enough to
/// tell two apart.
std::vector<std::string> names_of(const std::vector<std::string>& paths) {
  std::vector<std::string> stems;
  for (const std::string& path : paths) {
    if (std::ranges::count(paths, path) > 1) throw core::UsageError(path + " is given twice");
    stems.push_back(std::filesystem::path(path).stem().string());
  }
  std::vector<std::string> names = stems;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (std::ranges::count(stems, stems[i]) > 1) names[i] = paths[i];
  }
  return names;
}

}  // namespace

std::vector<report::NamedReport> load_reports(const std::vector<std::string>& paths) {
  const std::vector<std::string> names = names_of(paths);
  std::vector<report::NamedReport> reports;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    reports.push_back({.name = names[i], .report = report::load_report(paths[i])});
    if (reports.back().report.results.empty()) {
      throw core::ConfigError(paths[i], "/results",
                              "there are none; give a report of run or simulate");
    }
  }
  return reports;
}

}  // namespace fa3prof::commands
