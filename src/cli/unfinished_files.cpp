#include "src/cli/unfinished_files.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <unistd.h>

namespace fa3prof::cli {
namespace {

/// A temporary file that a deadly signal must take along. A handler may read no std::string, and
/// may run on another thread while the name is being written, so the flag is set last.
struct DoomedFile {
  std::array<char, PATH_MAX> name;
  std::atomic<bool> is_doomed;
};

/// More than any verb writes at once.
std::array<DoomedFile, 4> doomed_files{};

constexpr std::array kDeadlySignals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};

void remove_and_die(int signal) {
  remove_unfinished_files();
  // Only now may a second signal kill: until here it would have come to this handler as well.
  static_cast<void>(std::signal(signal, SIG_DFL));
  static_cast<void>(raise(signal));
}

void handle_deadly_signals() {
  for (const int signal : kDeadlySignals) {
    struct sigaction action {};

    if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = remove_and_die;
    static_cast<void>(sigaction(signal, &action, nullptr));
  }
}

}  // namespace

DeadlySignalsHeld::DeadlySignalsHeld() {
  sigset_t deadly;
  sigemptyset(&deadly);
  for (const int signal : kDeadlySignals) sigaddset(&deadly, signal);
  pthread_sigmask(SIG_BLOCK, &deadly, &former_);
}

DeadlySignalsHeld::~DeadlySignalsHeld() { pthread_sigmask(SIG_SETMASK, &former_, nullptr); }

void remove_unfinished_files() {
  for (const DoomedFile& doomed : doomed_files) {
    if (doomed.is_doomed) unlink(doomed.name.data());
  }
}

void remove_when_killed(const std::string& file) {
  auto* const slot = std::ranges::find_if(
      doomed_files, [](const DoomedFile& doomed) { return !doomed.is_doomed; });
  if (slot == doomed_files.end() || file.size() >= slot->name.size()) return;
  std::ranges::copy(file, slot->name.begin());
  slot->name.at(file.size()) = '\0';
  slot->is_doomed = true;
  handle_deadly_signals();
}

void keep_when_killed(const std::string& file) {
  for (DoomedFile& doomed : doomed_files) {
    if (doomed.is_doomed && file == doomed.name.data()) doomed.is_doomed = false;
  }
}

}  // namespace fa3prof::cli
