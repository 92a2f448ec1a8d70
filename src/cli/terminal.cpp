#include "src/cli/terminal.h"

#include <cstdlib>
#include <ostream>
#include <string_view>
#include <unistd.h>

namespace fa3prof::cli {
namespace {

/// Back to the first column and clear to the end of the line.
constexpr std::string_view kClearLine = "\r\x1b[K";

std::string_view environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

}  // namespace

Terminal detect_terminal() {
  const bool is_dumb = environment_variable("TERM") == "dumb";
  const bool may_colour = !is_dumb && environment_variable("NO_COLOR").empty();
  const bool is_stderr_tty = isatty(STDERR_FILENO) == 1;
  return {.has_colour_on_stdout = may_colour && isatty(STDOUT_FILENO) == 1,
          .has_colour_on_stderr = may_colour && is_stderr_tty,
          .has_progress = !is_dumb && is_stderr_tty};
}

ProgressLine::~ProgressLine() {
  if (is_shown_) stream_ << kClearLine << std::flush;
}

void ProgressLine::show(const std::string& text) {
  if (is_shown_) stream_ << kClearLine << text << std::flush;
}

}  // namespace fa3prof::cli
