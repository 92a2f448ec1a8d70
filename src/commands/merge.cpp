#include "src/commands/merge.h"

#include "src/analysis/merge.h"
#include "src/commands/output.h"
#include "src/report/json.h"

#include <memory>
#include <utility>

namespace fa3prof::commands {

void add_merge(CLI::App& app, Verb& chosen) {
  auto options = std::make_shared<MergeOptions>();
  CLI::App* verb = app.add_subcommand("merge", "Reports of the shards of a run as one report");
  verb->add_option("reports", options->reports, "files that run --shard --json wrote")
      ->type_name("REPORT")
      ->required();
  verb->add_option("-o,--output", options->output, "file, or - for stdout [stdout]")
      ->type_name("FILE|-");
  verb->add_flag("--partial", options->is_partial, "also where a shard is missing");
  verb->callback([options, &chosen] {
    chosen = [options](const Context& context) { return run_merge(*options, context); };
  });
}

core::ExitCode run_merge(const MergeOptions& options, const Context& context) {
  write_text(options.output, options.reports, context, [&] {
    std::vector<analysis::Part> parts;
    for (const std::string& path : options.reports) {
      parts.push_back({.name = path, .report = report::load_report(path)});
    }
    return report::to_text(report::to_json(analysis::merge(std::move(parts), options.is_partial)));
  });
  return core::ExitCode::kDone;
}

}  // namespace fa3prof::commands
