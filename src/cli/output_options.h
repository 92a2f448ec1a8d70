// The flags that say where results go; the same words in every verb.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace fa3prof::cli {

struct OutputOptions {
  std::string json;       ///< "": none; "-": stdout, which then holds nothing else; else a file
  bool is_quiet = false;  ///< no progress and no table; errors are still shown

  [[nodiscard]] bool has_json_on_stdout() const { return json == "-"; }
};

/// Adds --json and --quiet. `options` must live until the app has parsed.
void add_output_options(CLI::App& app, OutputOptions& options);

}  // namespace fa3prof::cli
