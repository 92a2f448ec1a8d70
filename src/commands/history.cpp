#include "src/commands/history.h"

#include "src/analysis/history.h"
#include "src/cli/choice.h"
#include "src/cli/output_target.h"
#include "src/cli/ratio.h"
#include "src/commands/output.h"
#include "src/report/history_text.h"
#include "src/report/json.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

namespace fa3prof::commands {
namespace {

namespace fs = std::filesystem;

/// JSON files of the folder by name, not of folders in it.
std::vector<fs::path> json_files(const std::string& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  if (error) {
    throw core::UsageError("cannot read the folder " + folder + ": " + error.message() +
                           "; give a folder of reports");
  }
  std::ranges::sort(files);
  return files;
}

/// Reports of a folder in the order of time, and what was left out.
struct Folder {
  std::vector<report::NamedReport> reports;
  std::vector<std::string> warnings;
};

Folder load_folder(const std::string& path) {
  Folder folder;
  std::vector<report::NamedReport> by_name;
  for (const fs::path& file : json_files(path)) {
    try {
      by_name.push_back(
          {.name = file.stem().string(), .report = report::load_report(file.string())});
    } catch (const core::ConfigError& error) {
      folder.warnings.push_back(std::string("left out, no report: ") + error.what());
    }
  }
  if (by_name.empty()) {
    throw core::UsageError(path + " holds no report; give a folder of files that --json wrote");
  }
  std::vector<const core::Report*> reports;
  for (const report::NamedReport& named : by_name) reports.push_back(&named.report);
  for (const std::size_t i : analysis::in_time(reports)) {
    folder.reports.push_back(std::move(by_name[i]));
  }
  return folder;
}

std::string text_of(const report::HistoryView& view, HistoryFormat format, report::Colour colour) {
  switch (format) {
    case HistoryFormat::kTable:
      return report::history_text(view, colour);
    case HistoryFormat::kMarkdown:
      return report::history_markdown(view);
    case HistoryFormat::kHtml:
      return report::history_html(view);
  }
  throw core::UsageError("unknown format");
}

}  // namespace

void add_history(CLI::App& app, Verb& chosen) {
  auto options = std::make_shared<HistoryOptions>();
  CLI::App* verb = app.add_subcommand("history", "How times went over a folder of reports");
  verb->add_option("folder", options->folder, "whose JSON files are reports")
      ->type_name("DIR")
      ->required();
  verb->add_option_function<std::string>(
          "--max-regression",
          [options = options.get()](const std::string& text) {
            options->max_regression_ratio = cli::parse_ratio(text, "--max-regression");
          },
          "a change is more than this [3%]")
      ->type_name("RATIO");
  cli::add_choice<HistoryFormat>(*verb, "--format", options->format,
                                 {{"table", HistoryFormat::kTable},
                                  {"markdown", HistoryFormat::kMarkdown},
                                  {"html", HistoryFormat::kHtml}})
      ->description(
          "table, page for a repository, or page with charts that needs no network [table]");
  verb->add_option("-o,--output", options->text_file, "file for the format [stdout]")
      ->type_name("FILE");
  cli::add_output_options(*verb, options->output);
  verb->callback([options, &chosen] {
    chosen = [options](const Context& context) { return run_history(*options, context); };
  });
}

core::ExitCode run_history(const HistoryOptions& options, const Context& context) {
  Output output(options.output, context);
  std::optional<cli::AtomicFile> text_file;
  if (!options.text_file.empty()) text_file.emplace(options.text_file);
  const Folder folder = load_folder(options.folder);
  std::vector<const core::Report*> reports;
  for (const report::NamedReport& named : folder.reports) reports.push_back(&named.report);
  const auto series = analysis::history_of(reports, options.max_regression_ratio);
  const report::HistoryView view{.reports = folder.reports,
                                 .series = series,
                                 .max_regression_ratio = options.max_regression_ratio,
                                 .warnings = folder.warnings};
  output.write([&view] { return report::history_json(view); });
  if (text_file) {
    text_file->commit(text_of(view, options.format, report::Colour::kNever));
  } else {
    output.print([&](report::Colour colour) { return text_of(view, options.format, colour); });
  }
  return core::ExitCode::kDone;
}

}  // namespace fa3prof::commands
