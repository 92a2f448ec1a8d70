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

std::string progress_text(std::size_t done, std::size_t total, const std::string& what) {
  constexpr std::size_t kWidth = 16;
  const std::size_t full = total == 0 ? 0 : kWidth * done / total;
  return "[" + std::to_string(done + 1) + "/" + std::to_string(total) + "] " +
         std::string(full, '#') + std::string(kWidth - full, '-') + " " + what;
}

ProgressLine::~ProgressLine() {
  if (has_text_) stream_ << kClearLine << std::flush;
}

void ProgressLine::show(const std::string& text) {
  if (!is_shown_ || std::chrono::steady_clock::now() - begin_ < patience_) return;
  stream_ << kClearLine << text << std::flush;
  has_text_ = true;
}

}  // namespace fa3prof::cli
