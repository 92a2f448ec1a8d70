#include "src/commands/report.h"

#include "sim/machine.h"
#include "sim/machine_match.h"
#include "src/cli/choice.h"
#include "src/commands/output.h"
#include "src/commands/report_files.h"
#include "src/report/html.h"
#include "src/report/junit.h"
#include "src/report/openmetrics.h"
#include "src/report/row_text.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>

namespace fa3prof::commands {
namespace {

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

std::string page_of(std::vector<report::NamedReport> reports, const std::string& machine) {
  std::vector<report::PageReport> pages;
  pages.reserve(reports.size());
  for (report::NamedReport& named : reports) {
    pages.push_back(page_report(std::move(named), machine));
  }
  return report::html_page(pages);
}

std::string text_of(std::vector<report::NamedReport> reports, const ReportOptions& options) {
  switch (options.format) {
    case ReportFormat::kHtml:
      return page_of(std::move(reports), options.machine);
    case ReportFormat::kCsv:
      return report::csv_text(reports);
    case ReportFormat::kMarkdown:
      return report::markdown_text(reports);
    case ReportFormat::kOpenMetrics:
      return report::openmetrics_text(reports);
    case ReportFormat::kGithubBenchmark:
      return report::github_benchmark_text(reports, options.metric);
    case ReportFormat::kBencher:
      return report::bencher_text(reports);
    case ReportFormat::kJunit:
      return report::junit_text(reports);
  }
  throw core::UsageError("unknown format");
}

void add_format(CLI::App& verb, ReportOptions& options) {
  cli::add_choice<ReportFormat>(verb, "--format", options.format,
                                {{"html", ReportFormat::kHtml},
                                 {"csv", ReportFormat::kCsv},
                                 {"markdown", ReportFormat::kMarkdown},
                                 {"openmetrics", ReportFormat::kOpenMetrics},
                                 {"github-benchmark", ReportFormat::kGithubBenchmark},
                                 {"bencher", ReportFormat::kBencher},
                                 {"junit", ReportFormat::kJunit}})
      ->description(
          "html: a page that opens without a network; csv: all numbers; markdown: a table for a "
          "pull request; openmetrics: for Prometheus; github-benchmark, bencher: for services that "
          "keep benchmarks; junit: each verification as a test case [html]");
  cli::add_choice<report::BenchmarkMetric>(
      verb, "--metric", options.metric,
      {{"tflops", report::BenchmarkMetric::kTflops}, {"time", report::BenchmarkMetric::kTime}})
      ->description(
          "of github-benchmark: tflops for customBiggerIsBetter, time for customSmallerIsBetter "
          "[tflops]");
}

}  // namespace

void add_report(CLI::App& app, Verb& chosen) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* verb = app.add_subcommand("report", "Reports of run and simulate in other formats");
  verb->add_option("reports", options->reports, "files that --json wrote")
      ->type_name("REPORT")
      ->required();
  add_format(*verb, *options);
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
  write_text(options.output, options.reports, context,
             [&] { return text_of(load_reports(options.reports), options); });
  return core::ExitCode::kDone;
}

}  // namespace fa3prof::commands
