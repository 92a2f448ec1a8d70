#include "src/commands/report.h"

#include "sim/machine.h"
#include "src/cli/choice.h"
#include "src/cli/output_target.h"
#include "src/commands/output.h"
#include "src/report/html.h"
#include "src/report/json.h"
#include "src/report/row_text.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>

namespace fa3prof::commands {
namespace {

constexpr const char* kStdout = "-";

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

/// The stated machine; else the one of the measured GPU, or that of the simulation.
std::optional<sim::Machine> machine_of(const core::Report& report, const std::string& stated) {
  if (!stated.empty()) return sim::load_machine(stated);
  if (const auto& gpu = report.environment.gpu) {
    const auto name = sim::machine_for(*gpu);
    return name ? std::optional(sim::load_machine(*name)) : std::nullopt;
  }
  const std::vector<std::string> known = sim::builtin_machines();
  for (const core::Result& result : report.results) {
    if (std::ranges::find(known, result.machine) != known.end()) {
      return sim::load_machine(result.machine);
    }
  }
  return std::nullopt;
}

std::vector<report::NamedReport> load_all(const std::vector<std::string>& paths) {
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

report::PageReport page_report(report::NamedReport named, const std::string& machine) {
  report::PageReport page{.name = std::move(named.name), .report = std::move(named.report)};
  const auto found = machine_of(page.report, machine);
  if (!found) return page;
  page.machine = found->name;
  for (const core::Result& result : page.report.results) {
    const std::int64_t head_dim = result.problem.head_dim;
    if (!page.roofs.contains(head_dim)) page.roofs[head_dim] = analysis::roofs_of(*found, head_dim);
  }
  return page;
}

std::string text_of(std::vector<report::NamedReport> reports, const ReportOptions& options) {
  if (options.format == ReportFormat::kCsv) return report::csv_text(reports);
  if (options.format == ReportFormat::kMarkdown) return report::markdown_text(reports);
  std::vector<report::PageReport> pages;
  pages.reserve(reports.size());
  for (report::NamedReport& named : reports) {
    pages.push_back(page_report(std::move(named), options.machine));
  }
  return report::html_page(pages);
}

}  // namespace

void add_report(CLI::App& app, Verb& chosen) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* verb = app.add_subcommand("report", "Reports of run and simulate as a page to look at");
  verb->add_option("reports", options->reports, "files that --json wrote")
      ->type_name("REPORT")
      ->required();
  cli::add_choice<ReportFormat>(*verb, "--format", options->format,
                                {{"html", ReportFormat::kHtml},
                                 {"csv", ReportFormat::kCsv},
                                 {"markdown", ReportFormat::kMarkdown}})
      ->description(
          "html: a page that opens without a network; csv: all numbers; markdown: a table "
          "for a pull request [html]");
  verb->add_option("-o,--output", options->output,
                   "file, or - for stdout [stdout, but a page needs one]")
      ->type_name("FILE|-");
  verb->add_option("--machine", options->machine, "machine of the page's roofs [that of the GPU]")
      ->type_name("NAME|FILE");
  verb->callback([options, &chosen] {
    chosen = [options](const Context& context) { return run_report(*options, context); };
  });
}

core::ExitCode run_report(const ReportOptions& options, const Context& context) {
  if (options.output.empty() && options.format == ReportFormat::kHtml) {
    throw core::UsageError("a page is too much for a terminal: name a file with --output");
  }
  refuse_to_replace(options.output, options.reports, "--output");
  std::optional<cli::AtomicFile> file;
  if (!options.output.empty() && options.output != kStdout) file.emplace(options.output);
  const std::string text = text_of(load_all(options.reports), options);
  if (file) {
    file->commit(text);
  } else {
    put(context.out, text);
  }
  return core::ExitCode::kDone;
}

}  // namespace fa3prof::commands
