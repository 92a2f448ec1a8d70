#include "src/commands/schema.h"

#include "sim/builtin_configs.h"
#include "src/commands/output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

namespace fa3prof::commands {

void add_schema(CLI::App& app, Verb& chosen) {
  auto options = std::make_shared<SchemaOptions>();
  CLI::App* verb =
      app.add_subcommand("schema", "The JSON Schema of a file that is read or written");
  verb->add_option("name", options->name, "report, compare, machine, ... [list them]")
      ->type_name("NAME");
  verb->callback([options, &chosen] {
    chosen = [options](const Context& context) { return run_schema(*options, context); };
  });
}

core::ExitCode run_schema(const SchemaOptions& options, const Context& context) {
  const auto names = sim::builtin_config_names(sim::ConfigKind::kSchema);
  if (options.name.empty()) {
    put(context.out, fmt::format("{}\n", fmt::join(names, "\n")));
    return core::ExitCode::kDone;
  }
  const auto text = sim::builtin_config(sim::ConfigKind::kSchema, options.name);
  if (!text) {
    throw core::UsageError(
        fmt::format("there is no schema '{}'; choose {}", options.name, fmt::join(names, ", ")));
  }
  put(context.out, std::string(*text));
  return core::ExitCode::kDone;
}

}  // namespace fa3prof::commands
