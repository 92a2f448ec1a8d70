// What the terminal can show: colour, progress.
#pragma once

#include <iosfwd>
#include <string>

namespace fa3prof::cli {

struct Terminal {
  bool has_colour_on_stdout = false;
  bool has_colour_on_stderr = false;
  bool has_progress = false;  ///< on stderr
};

/// Colour and progress only on a terminal; neither with TERM=dumb, no colour with NO_COLOR
/// (https://no-color.org: set and not empty).
[[nodiscard]] Terminal detect_terminal();

/// One line that overwrites itself, gone when the work is done.
class ProgressLine {
 public:
  /// `is_shown` false: says nothing.
  ProgressLine(std::ostream& stream, bool is_shown) : stream_(stream), is_shown_(is_shown) {}

  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const std::string& text);

 private:
  std::ostream& stream_;
  bool is_shown_;
};

}  // namespace fa3prof::cli
