// An attention kernel of somebody else, loaded from a shared library: fa3prof_plugin.h behind a
// class. Checked when it is loaded, so that all later calls are sound. Knows no CUDA: a build
// without it refuses a bad plugin with the same words.
#pragma once

#include "src/core/attention_problem.h"
#include "src/profile/dynamic_library.h"
#include "src/profile/fa3prof_plugin.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fa3prof::profile {

/// A cheap handle. The library stays loaded until the process ends (see DynamicLibrary).
class Plugin {
 public:
  /// Opens the library at `path` and checks its table. Throws UsageError that names the path, what
  /// is wrong and the cure.
  [[nodiscard]] static Plugin load(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }

  [[nodiscard]] std::string name() const { return table_->name; }

  [[nodiscard]] std::string version() const { return table_->version; }

  /// Why the plugin cannot solve the problem, in its own words after its name, or nothing.
  [[nodiscard]] std::optional<std::string> why_unsupported(
      const core::AttentionProblem& problem) const;

  /// The type of the numbers that the kernel multiplies on this problem.
  [[nodiscard]] core::DataType multiplied_type(const core::AttentionProblem& problem) const;

  /// Device memory that a launch on a supported problem needs besides the tensors.
  [[nodiscard]] std::uint64_t workspace_bytes(const core::AttentionProblem& problem) const;

  /// Enqueues the kernel; `tensors` need no struct_size. Returns the plugin's words when it failed.
  [[nodiscard]] std::optional<std::string> launch(const core::AttentionProblem& problem,
                                                  fa3prof_tensors tensors) const;

 private:
  Plugin(std::string path, DynamicLibrary library);

  void check_table() const;
  [[noreturn]] void fail(const std::string& what, const std::string& cure) const;

  std::string path_;
  DynamicLibrary library_;
  const fa3prof_plugin* table_ = nullptr;
};

/// Loads each, in order. Throws UsageError as load does, and where two share a name.
[[nodiscard]] std::vector<Plugin> load_plugins(std::span<const std::string> paths);

}  // namespace fa3prof::profile
