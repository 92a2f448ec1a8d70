// Names who was running when the process crashes or exits. Other people's code runs inside this
// process; a bare "Segmentation fault", or an end without a word, would not say whose doing it was.
#pragma once

#include <string>

namespace fa3prof::profile {

/// While it lives, a fatal signal first prints "fa3prof: <who> crashed in <where> ..." to stderr
/// and then ends the process as it would have ended without; an exit() prints the like and ends it
/// with ExitCode::kDeviceFailed. _exit() cannot be seen. Not nested, on one thread at a time.
class CrashNote {
 public:
  CrashNote(const std::string& who, const std::string& where);
  CrashNote(const CrashNote&) = delete;
  CrashNote& operator=(const CrashNote&) = delete;
  ~CrashNote();
};

/// `act` is called when a CrashNote has spoken, before the process ends; it must do only what a
/// signal handler may.
void act_before_foreign_end(void (*act)());

}  // namespace fa3prof::profile
