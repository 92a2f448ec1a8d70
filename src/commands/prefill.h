// `fa3prof prefill`: what attention kernels mean for serving: time to the first token of a model on
// GPUs, and how many sequences their memory holds. Computed, never measured.
#pragma once

#include "src/analysis/prefill.h"
#include "src/cli/output_options.h"
#include "src/commands/context.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fa3prof::commands {

enum class PrefillFormat { kTable, kMarkdown };

struct PrefillOptions {
  std::string model;
  std::string machine = "h200_sxm";
  std::vector<std::int64_t> contexts = {8192};  ///< tokens of each sequence
  std::int64_t batch = 1;
  std::int64_t tensor_parallel = 1;
  analysis::ServingAssumptions assumptions = {};
  PrefillFormat format = PrefillFormat::kTable;
  cli::OutputOptions output;
};

void add_prefill(CLI::App& app, Verb& chosen);

/// Throws UsageError for an unknown model or machine, and for GPUs that cannot share
/// the heads; ConfigError for a bad file.
[[nodiscard]] core::ExitCode run_prefill(const PrefillOptions& options, const Context& context);

}  // namespace fa3prof::commands
