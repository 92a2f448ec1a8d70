#include "src/profile/crash_note.h"

#include "src/core/error.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace fa3prof::profile {
namespace {

constexpr std::array kFatalSignals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// A signal handler may only touch what is ready, so the texts are written beforehand.
struct Text {
  std::array<char, 512> characters;
  std::size_t length = 0;
};

Text crash_text;
Text exit_text;
volatile std::sig_atomic_t is_noted = 0;
void (*last_act)() = nullptr;
std::array<struct sigaction, kFatalSignals.size()> former_actions;
alignas(16) std::array<char, std::size_t{64} << 10U> handler_stack;  // a full stack is one cause

void set(Text& text, const std::string& words) {
  text.length = std::min(words.size(), text.characters.size());
  std::copy_n(words.begin(), text.length, text.characters.begin());
}

/// For a process that is about to end.
void print(const Text& text) {
  const ssize_t written = write(STDERR_FILENO, text.characters.data(), text.length);
  static_cast<void>(written);  // nothing is left to do about it
  if (last_act != nullptr) last_act();
}

/// Returns to what failed, which fails again, now with the signal's default action.
void print_crash(int) { print(crash_text); }

/// An exit() is ours unless somebody is noted.
void refuse_exit() {
  if (is_noted == 0) return;
  std::fflush(nullptr);  // the last words of who called it
  print(exit_text);
  _exit(static_cast<int>(core::ExitCode::kDeviceFailed));
}

}  // namespace

void act_before_foreign_end(void (*act)()) { last_act = act; }

CrashNote::CrashNote(const std::string& who, const std::string& where) {
  static const bool is_guarded = std::atexit(refuse_exit) == 0;
  static_cast<void>(is_guarded);  // without the guard an exit() is only less clear
  set(crash_text, "fa3prof: " + who + " crashed in " + where + "; no report was written\n");
  set(exit_text, "fa3prof: " + who + " called exit() in " + where +
                     ", where it must return; no report was written\n");
  stack_t stack{};
  stack.ss_sp = handler_stack.data();
  stack.ss_size = handler_stack.size();
  sigaltstack(&stack, nullptr);

  struct sigaction action {};

  action.sa_handler = print_crash;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER | SA_ONSTACK);
  for (std::size_t i = 0; i < kFatalSignals.size(); ++i) {
    sigaction(kFatalSignals[i], &action, &former_actions[i]);
  }
  is_noted = 1;
}

CrashNote::~CrashNote() {
  is_noted = 0;
  for (std::size_t i = 0; i < kFatalSignals.size(); ++i) {
    sigaction(kFatalSignals[i], &former_actions[i], nullptr);
  }
}

}  // namespace fa3prof::profile
