// The four kinds of error and the exit codes they end in. Thrown anywhere, caught once in main.
// Every text says what went wrong, where, and what to do about it.
#pragma once

#include <stdexcept>
#include <string>

namespace fa3prof::core {

/// Exit codes of the program; stable, because scripts and CI read them.
enum class ExitCode : int {
  kDone = 0,
  kCheckFailed = 1,   ///< a verification, tolerance or regression check failed
  kUsage = 2,         ///< bad flag, bad value, unreadable or invalid file
  kUnavailable = 3,   ///< not possible here: no GPU, wrong GPU, built without CUDA
  kDeviceFailed = 4,  ///< a CUDA, driver or CUPTI call failed
};

/// Base of every error the program raises on purpose.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& text) : std::runtime_error(text), code_(code) {}

  [[nodiscard]] ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

/// The command line asks for something that cannot be: the text names the flag and the cure.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& text) : Error(ExitCode::kUsage, text) {}
};

/// A file is wrong: `file` and the JSON `pointer` ("/problem/seqlen_q") say where.
class ConfigError : public Error {
 public:
  ConfigError(const std::string& file, const std::string& pointer, const std::string& text)
      : Error(ExitCode::kUsage, file + (pointer.empty() ? "" : " at " + pointer) + ": " + text),
        file_(file),
        pointer_(pointer) {}

  [[nodiscard]] const std::string& file() const noexcept { return file_; }

  [[nodiscard]] const std::string& pointer() const noexcept { return pointer_; }

 private:
  std::string file_;
  std::string pointer_;
};

/// The request is sound but this machine or build cannot serve it; `cure` says what would.
class UnavailableError : public Error {
 public:
  UnavailableError(const std::string& text, const std::string& cure)
      : Error(ExitCode::kUnavailable, text + "; " + cure), text_(text), cure_(cure) {}

  [[nodiscard]] const std::string& text() const noexcept { return text_; }

  [[nodiscard]] const std::string& cure() const noexcept { return cure_; }

 private:
  std::string text_;
  std::string cure_;
};

/// A device call failed: `call` with its status, `where` as file:line.
class DeviceError : public Error {
 public:
  DeviceError(const std::string& call, const std::string& where)
      : Error(ExitCode::kDeviceFailed, call + " (" + where + ")") {}
};

}  // namespace fa3prof::core
