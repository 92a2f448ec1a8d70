// One verb's output: a table for people and a JSON document, each where the flags want it.
#pragma once

#include "src/cli/output_options.h"
#include "src/cli/output_target.h"
#include "src/commands/context.h"
#include "src/core/json_reader.h"
#include "src/report/table.h"

#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fa3prof::commands {

/// Throws UsageError where the file that `flag` names is one of `inputs`: the output would take its
/// place. Inputs that are no files, "" among them, are none.
void refuse_to_replace(const std::string& path, const std::vector<std::string>& inputs,
                       std::string_view flag = "--json");

/// Writes the text to a stream. Throws UsageError where that cannot take it all.
void put(std::ostream& stream, const std::string& text);

/// Writes what `make_text` gives to the file `path`, or to stdout for "" and "-". The file is
/// opened before: a bad path costs no work. Throws UsageError as refuse_to_replace and put.
void write_text(const std::string& path, const std::vector<std::string>& inputs,
                const Context& context, const std::function<std::string()>& make_text);

/// Runs every step, also after one that fails: a full disk must not cost the table as well. Then
/// throws what the first of them threw.
void deliver(std::initializer_list<std::function<void()>> steps);

class Output {
 public:
  /// Opens the JSON file, if any. Throws UsageError if it cannot be written.
  Output(const cli::OutputOptions& options, const Context& context);

  /// Prints what `make_text` gives for the stream's colour: to stdout, to stderr when stdout is the
  /// JSON document, nowhere with --quiet.
  void print(const std::function<std::string(report::Colour)>& make_text);

  /// Prints to stderr, also with --quiet.
  void print_error(const std::string& text);

  /// Writes the document where --json asked for it; does nothing without --json. Call once.
  void write(const std::function<core::Json()>& make_document);

  /// A document was asked for, as a file or on stdout.
  [[nodiscard]] bool has_document() const { return !options_.json.empty(); }

  [[nodiscard]] bool shows_progress() const;

 private:
  const cli::OutputOptions& options_;
  const Context& context_;
  std::optional<cli::AtomicFile> file_;
};

}  // namespace fa3prof::commands
