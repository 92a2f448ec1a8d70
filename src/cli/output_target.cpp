#include "src/cli/output_target.h"

#include "src/cli/unfinished_files.h"
#include "src/core/error.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace fa3prof::cli {
namespace {

namespace fs = std::filesystem;

/// The permissions that a newly created file would have.
mode_t new_file_mode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666U & ~mask;
}

/// Follows symbolic links, so that a rename replaces the file and not the link to it.
std::string resolve(const std::string& path) {
  std::error_code error;
  const fs::path resolved = fs::weakly_canonical(path, error);
  return error ? path : resolved.string();
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(path), target_(resolve(path)) {
  std::error_code ignored;
  const fs::file_status status = fs::status(target_, ignored);
  if (fs::is_directory(status)) fail("it is a directory", 0);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    open_direct();
    return;
  }
  if (fs::exists(status) && access(target_.c_str(), W_OK) != 0) fail("", errno);
  open_temporary();
}

AtomicFile::~AtomicFile() {
  if (file_ >= 0) close(file_);
  if (temporary_.empty()) return;
  unlink(temporary_.c_str());
  keep_when_killed(temporary_);
}

void AtomicFile::fail(const std::string& what, int error) const {
  const std::string reason = error == 0 ? what : std::generic_category().message(error);
  throw core::UsageError("cannot write " + path_ + ": " + reason +
                         "; choose a file in a directory that exists and may be written");
}

void AtomicFile::open_direct() {
  file_ = open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  if (file_ < 0) fail("", errno);
}

void AtomicFile::open_temporary() {
  std::string name = target_ + ".XXXXXX";
  int error = 0;
  {
    const DeadlySignalsHeld until_it_is_noted;
    file_ = mkostemp(name.data(), O_CLOEXEC);
    error = errno;
    if (file_ >= 0) remove_when_killed(name);
  }
  if (file_ < 0) fail("", error);
  temporary_ = name;

  struct stat old {};

  const bool has_old = stat(target_.c_str(), &old) == 0;
  if (fchmod(file_, has_old ? old.st_mode & 07777U : new_file_mode()) != 0) {
    error = errno;
    // A constructor that throws runs no destructor.
    close(file_);
    unlink(name.c_str());
    keep_when_killed(name);
    fail("", error);
  }
}

void AtomicFile::commit(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file_, text.data(), text.size());
    if (written < 0 && errno != EINTR) fail("", errno);
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (temporary_.empty()) return;
  if (fsync(file_) != 0) fail("", errno);
  if (rename(temporary_.c_str(), target_.c_str()) != 0) fail("", errno);
  keep_when_killed(temporary_);
  temporary_.clear();
}

}  // namespace fa3prof::cli
