#include "src/commands/output.h"

#include "src/report/json.h"

#include <exception>
#include <filesystem>
#include <ostream>
#include <system_error>

namespace fa3prof::commands {

void put(std::ostream& stream, const std::string& text) {
  stream << text << std::flush;
  if (!stream) {
    throw core::UsageError("cannot write the output: the disk is full or its reader has gone");
  }
}

void refuse_to_replace(const std::string& path, const std::vector<std::string>& inputs,
                       std::string_view flag) {
  for (const std::string& input : inputs) {
    std::error_code no_file;
    if (!std::filesystem::equivalent(path, input, no_file)) continue;
    throw core::UsageError(std::string(flag) + ": " + path +
                           " is read as input; write the output elsewhere");
  }
}

void write_text(const std::string& path, const std::vector<std::string>& inputs,
                const Context& context, const std::function<std::string()>& make_text) {
  refuse_to_replace(path, inputs, "--output");
  if (path.empty() || path == "-") {
    put(context.out, make_text());
  } else {
    cli::AtomicFile file(path);
    file.commit(make_text());
  }
}

void deliver(std::initializer_list<std::function<void()>> steps) {
  std::exception_ptr first;
  for (const auto& step : steps) {
    try {
      step();
    } catch (const core::Error&) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

Output::Output(const cli::OutputOptions& options, const Context& context)
    : options_(options), context_(context) {
  if (!options.json.empty() && !options.has_json_on_stdout()) file_.emplace(options.json);
}

void Output::print(const std::function<std::string(report::Colour)>& make_text) {
  if (options_.is_quiet) return;
  const bool is_moved = options_.has_json_on_stdout();
  const bool has_colour =
      is_moved ? context_.terminal.has_colour_on_stderr : context_.terminal.has_colour_on_stdout;
  put(is_moved ? context_.err : context_.out,
      make_text(has_colour ? report::Colour::kAlways : report::Colour::kNever));
}

void Output::print_error(const std::string& text) { put(context_.err, "fa3prof: " + text + "\n"); }

void Output::write(const std::function<core::Json()>& make_document) {
  if (options_.has_json_on_stdout()) put(context_.out, report::to_text(make_document()));
  if (file_) file_->commit(report::to_text(make_document()));
}

bool Output::shows_progress() const { return context_.terminal.has_progress && !options_.is_quiet; }

}  // namespace fa3prof::commands
