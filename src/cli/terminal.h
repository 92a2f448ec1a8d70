// What the terminal can show: colour, progress.
#pragma once

#include <chrono>
#include <cstddef>
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

/// The third of six pieces of work: "[3/6] ######---------- what".
[[nodiscard]] std::string progress_text(std::size_t done, std::size_t total,
                                        const std::string& what);

/// One line that overwrites itself, gone when the work is done.
class ProgressLine {
 public:
  /// `is_shown` false: says nothing. Nothing is said either before `patience` has passed, so that
  /// short work leaves the terminal alone.
  ProgressLine(std::ostream& stream, bool is_shown, std::chrono::milliseconds patience = {})
      : stream_(stream),
        is_shown_(is_shown),
        begin_(std::chrono::steady_clock::now()),
        patience_(patience) {}

  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const std::string& text);

 private:
  std::ostream& stream_;
  bool is_shown_;
  bool has_text_ = false;
  std::chrono::steady_clock::time_point begin_;
  std::chrono::milliseconds patience_;
};

/// What work that may be short waits before it shows its progress.
inline constexpr std::chrono::milliseconds kPatience{500};

}  // namespace fa3prof::cli
