// Temporary files that a deadly signal (SIGINT, SIGTERM, SIGHUP, SIGQUIT) takes along.
#pragma once

#include <csignal>
#include <string>

namespace fa3prof::cli {

/// While it lives no deadly signal interrupts this thread.
class DeadlySignalsHeld {
 public:
  DeadlySignalsHeld();
  ~DeadlySignalsHeld();
  DeadlySignalsHeld(const DeadlySignalsHeld&) = delete;
  DeadlySignalsHeld& operator=(const DeadlySignalsHeld&) = delete;

 private:
  sigset_t former_{};
};

/// Installs handlers that remove `file` before they let the signal kill. A signal that is ignored
/// stays so.
void remove_when_killed(const std::string& file);

/// The file has its name or is gone: nothing is left to remove.
void keep_when_killed(const std::string& file);

/// Removes the files of remove_when_killed(). May be called in a signal handler; the process must
/// end after it.
void remove_unfinished_files();

}  // namespace fa3prof::cli
