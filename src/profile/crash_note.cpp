#include "src/profile/crash_note.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <unistd.h>

namespace fa3prof::profile {
namespace {

constexpr std::array kFatalSignals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// A signal handler may only touch what is ready, so the text is written beforehand.
std::array<char, 512> note_text;
std::size_t note_length = 0;
std::array<struct sigaction, kFatalSignals.size()> former_actions;
alignas(16) std::array<char, std::size_t{64} << 10U> handler_stack;  // a full stack is one cause

/// Returns to what failed, which fails again, now with the signal's default action.
void print_note(int) {
  const ssize_t written = write(STDERR_FILENO, note_text.data(), note_length);
  static_cast<void>(written);  // nothing is left to do about it
}

}  // namespace

CrashNote::CrashNote(const std::string& who, const std::string& where) {
  const std::string text = "fa3prof: " + who + " crashed in " + where + "; no report was written\n";
  note_length = std::min(text.size(), note_text.size());
  std::copy_n(text.begin(), note_length, note_text.begin());
  stack_t stack{};
  stack.ss_sp = handler_stack.data();
  stack.ss_size = handler_stack.size();
  sigaltstack(&stack, nullptr);

  struct sigaction action {};

  action.sa_handler = print_note;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER | SA_ONSTACK);
  for (std::size_t i = 0; i < kFatalSignals.size(); ++i) {
    sigaction(kFatalSignals[i], &action, &former_actions[i]);
  }
}

CrashNote::~CrashNote() {
  for (std::size_t i = 0; i < kFatalSignals.size(); ++i) {
    sigaction(kFatalSignals[i], &former_actions[i], nullptr);
  }
}

}  // namespace fa3prof::profile
