#include "src/cli/interrupt.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <unistd.h>

namespace fa3prof::cli {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
constexpr std::string_view kAnnouncement =
    "\nfa3prof: stopping; what is measured so far will be kept, a second signal ends at once\n";

volatile std::sig_atomic_t noted_signal = 0;

/// What each signal did before, for a second one. Set while the handler is not.
std::array<struct sigaction, kSignals.size()> former_actions;

std::string name_of(int signal) {
  switch (signal) {
    case SIGINT:
      return "SIGINT";
    case SIGTERM:
      return "SIGTERM";
    case SIGHUP:
      return "SIGHUP";
    default:
      return "signal " + std::to_string(signal);
  }
}

void note(int signal) {
  noted_signal = signal;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    static_cast<void>(sigaction(kSignals[i], &former_actions[i], nullptr));
  }
  const ssize_t written = write(STDERR_FILENO, kAnnouncement.data(), kAnnouncement.size());
  static_cast<void>(written);  // nothing depends on it
}

}  // namespace

Interrupted::Interrupted(int signal)
    : core::Error(core::ExitCode::kUnavailable, "stopped by " + name_of(signal)), signal_(signal) {}

InterruptWatch::InterruptWatch() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    static_cast<void>(sigaction(kSignals[i], nullptr, &former_actions[i]));
  }
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    if (former_actions[i].sa_handler == SIG_IGN) continue;

    struct sigaction action {};

    action.sa_handler = note;
    action.sa_flags = static_cast<int>(SA_RESTART);  // other people's code need not expect it
    static_cast<void>(sigaction(kSignals[i], &action, nullptr));
  }
}

InterruptWatch::~InterruptWatch() {
  noted_signal = 0;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    static_cast<void>(sigaction(kSignals[i], &former_actions[i], nullptr));
  }
}

void InterruptWatch::check() {
  if (noted_signal != 0) throw Interrupted(noted_signal);
}

void die_of(int signal) {
  static_cast<void>(std::signal(signal, SIG_DFL));
  static_cast<void>(raise(signal));
  // Blocked: as a shell would report it.
  constexpr int kShellBase = 128;
  std::_Exit(kShellBase + signal);
}

}  // namespace fa3prof::cli
