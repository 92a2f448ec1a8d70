// Names who was running when the process crashes. Other people's code runs inside this process; a
// bare "Segmentation fault" would not say whose it was.
#pragma once

#include <string>

namespace fa3prof::profile {

/// While it lives, a fatal signal first prints "fa3prof: <who> crashed in <where> ..." to stderr
/// and then ends the process as it would have ended without. Not nested, on one thread at a time.
class CrashNote {
 public:
  CrashNote(const std::string& who, const std::string& where);
  CrashNote(const CrashNote&) = delete;
  CrashNote& operator=(const CrashNote&) = delete;
  ~CrashNote();
};

}  // namespace fa3prof::profile
