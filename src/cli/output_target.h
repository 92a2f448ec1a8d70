// Where one document goes: opened before the work starts, so that a bad path fails at once, and
// written whole or not at all.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

namespace fa3prof::cli {

/// A file that appears under its name only when it is complete: a temporary file in the same
/// directory, synchronised and renamed by commit(), removed by the destructor or a
/// deadly signal (SIGINT, SIGTERM, SIGHUP, SIGQUIT) otherwise; only SIGKILL leaves it behind,
/// beside the old file. A target that is there and no regular file (/dev/null, a pipe) is written
/// directly.
class AtomicFile {
 public:
  /// Throws UsageError naming the path if it cannot be written.
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Writes everything and moves the file to its name. Call once. Throws UsageError, leaving an
  /// older file of that name as it was.
  void commit(std::string_view text);

 private:
  [[noreturn]] void fail(const std::string& what, int error) const;
  void open_direct();
  void open_temporary();

  std::string path_;       ///< as the user wrote it
  std::string target_;     ///< behind symbolic links
  std::string temporary_;  ///< empty when written directly or renamed
  int file_ = -1;
};

}  // namespace fa3prof::cli
