// The user's wish to stop long work early, with what is done so far kept.
#pragma once

#include "src/core/error.h"

namespace fa3prof::cli {

/// A signal asked for the end. Not one of the program's errors: the process must die of it
/// (die_of()) when everything is saved, so that a shell or a scheduler sees why it ended.
class Interrupted : public core::Error {
 public:
  explicit Interrupted(int signal);

  [[nodiscard]] int signal() const noexcept { return signal_; }

 private:
  int signal_;
};

/// While it lives the first SIGINT, SIGTERM or SIGHUP is only noted and announced on stderr; the
/// second does what the first did before. One that was ignored stays so. Not nested.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  /// Throws Interrupted where a signal has come; does nothing where none is watched for.
  static void check();
};

/// Ends the process as the signal does by default.
[[noreturn]] void die_of(int signal);

}  // namespace fa3prof::cli
