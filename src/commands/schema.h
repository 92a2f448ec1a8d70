// `fa3prof schema`: the JSON Schemas of what this program reads and writes.
#pragma once

#include "src/commands/context.h"

#include <string>

namespace fa3prof::commands {

struct SchemaOptions {
  std::string name;  ///< "report"; empty: list the names
};

void add_schema(CLI::App& app, Verb& chosen);

/// Throws UsageError naming the schemas for an unknown name.
[[nodiscard]] core::ExitCode run_schema(const SchemaOptions& options, const Context& context);

}  // namespace fa3prof::commands
