// A shared library opened at run time, so that the program starts where the library is missing.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>

namespace fa3prof::profile {

/// Stays open until the process ends: drivers and profilers leave threads and callbacks behind that
/// outlive any scope, and unloading them under those crashes.
class DynamicLibrary {
 public:
  /// The first of `candidates` (names or paths) that opens, or nothing.
  [[nodiscard]] static std::optional<DynamicLibrary> open(std::span<const std::string> candidates);

  /// The library in that file, or nothing and the loader's words in `reason`. Unlike open(), never
  /// searches the loader's folders for a name without a slash.
  [[nodiscard]] static std::optional<DynamicLibrary> open_file(const std::string& path,
                                                               std::string& reason);

  /// Where the loader found it.
  [[nodiscard]] const std::string& path() const { return path_; }

  /// The function of that name, or null.
  template <typename Function>
  [[nodiscard]] Function* find(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  DynamicLibrary(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}

  [[nodiscard]] void* symbol(const char* name) const;

  void* handle_;
  std::string path_;
};

}  // namespace fa3prof::profile
