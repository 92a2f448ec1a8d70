// The verb `report`: reports that run and simulate wrote, in a form for people.
#pragma once

#include "src/commands/context.h"
#include "src/report/benchmark_services.h"

#include <string>
#include <vector>

namespace fa3prof::commands {

enum class ReportFormat {
  kHtml,
  kCsv,
  kMarkdown,
  kOpenMetrics,
  kGithubBenchmark,
  kBencher,
  kJunit
};

struct ReportOptions {
  std::vector<std::string> reports;  ///< files
  ReportFormat format = ReportFormat::kHtml;
  report::BenchmarkMetric metric = report::BenchmarkMetric::kTflops;  ///< of kGithubBenchmark
  std::string output;   ///< file; "-" or, but for a page, "": stdout
  std::string machine;  ///< of the roofs; empty: that of each report's GPU
};

void add_report(CLI::App& app, Verb& chosen);

/// Throws ConfigError for a file that is no report, UsageError where the output cannot be written.
[[nodiscard]] core::ExitCode run_report(const ReportOptions& options, const Context& context);

}  // namespace fa3prof::commands
