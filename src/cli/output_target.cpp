#include "src/cli/output_target.h"

#include "src/core/error.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
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

/// The temporary file that a deadly signal must take along; a handler may read no std::string.
std::array<char, PATH_MAX> doomed_file{};

constexpr std::array kDeadlySignals{SIGINT, SIGTERM, SIGHUP};

void remove_and_die(int signal) {
  remove_unfinished_file();
  // Only now may a second signal kill: until here it would have come to this handler as well.
  static_cast<void>(std::signal(signal, SIG_DFL));
  static_cast<void>(raise(signal));
}

/// Ctrl-C leaves the old file or none, and no litter. A signal that is ignored stays so.
void remove_when_killed(const std::string& file) {
  if (file.size() >= doomed_file.size()) return;
  std::ranges::copy(file, doomed_file.begin());
  doomed_file.at(file.size()) = '\0';
  for (const int signal : kDeadlySignals) {
    struct sigaction action {};

    if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = remove_and_die;
    static_cast<void>(sigaction(signal, &action, nullptr));
  }
}

/// The file has its name or is gone.
void forget_doomed_file() { doomed_file.front() = '\0'; }

}  // namespace

void remove_unfinished_file() { unlink(doomed_file.data()); }

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
  forget_doomed_file();
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
  file_ = mkostemp(name.data(), O_CLOEXEC);
  if (file_ < 0) fail("", errno);
  temporary_ = name;
  remove_when_killed(name);

  struct stat old {};

  const bool has_old = stat(target_.c_str(), &old) == 0;
  if (fchmod(file_, has_old ? old.st_mode & 07777U : new_file_mode()) != 0) {
    const int error = errno;
    // A constructor that throws runs no destructor.
    close(file_);
    unlink(name.c_str());
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
  temporary_.clear();
  forget_doomed_file();
}

}  // namespace fa3prof::cli
