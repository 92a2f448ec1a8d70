// Which kernels a run measures: ours by name, cuDNN and plugins.
#pragma once

#include "sim/pipeline.h"
#include "src/core/attention_kernel.h"
#include "src/profile/cudnn.h"
#include "src/profile/plugin.h"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace fa3prof::commands {

/// The words of the command line.
struct KernelOptions {
  std::vector<std::string> kernels;           ///< names, also cudnn and plugins
  std::vector<std::string> schedules;         ///< of fa3: more kernels, after the named ones
  std::optional<int> pv_flush_keys;           ///< of fa3_fp8: one more kernel, after these
  std::vector<std::string> plugins;           ///< paths
  std::vector<std::string> plugin_pipelines;  ///< "NAME=FILE", or "FILE" with one plugin
  bool may_leave_out = false;  ///< named kernels that the GPU or the problem does not fit, too

  /// Else all complete kernels of ours are meant.
  [[nodiscard]] bool names_any() const {
    return !kernels.empty() || !schedules.empty() || pv_flush_keys;
  }

  /// Kernels that do not fit are left out: where the user did not name them.
  [[nodiscard]] bool leaves_out() const { return may_leave_out || !names_any(); }
};

/// Adds --kernel, --schedule, --pv-flush, --plugin and --plugin-pipeline, which fill `options`; it
/// must live until the app has parsed.
void add_kernel_options(CLI::App& verb, KernelOptions& options);

/// One of our kernels, cuDNN or a plugin, with its model where it has one.
struct ChosenKernel {
  std::string name;
  std::string version;                         ///< of a peer: cuDNN or a plugin
  const core::AttentionKernel* own = nullptr;  ///< null for a peer
  std::optional<profile::Plugin> plugin = std::nullopt;
  std::optional<profile::Cudnn> cudnn = std::nullopt;
  std::optional<sim::Pipeline> pipeline = std::nullopt;

  [[nodiscard]] std::optional<std::string> why_unsupported(
      const core::AttentionProblem& problem) const;
};

/// Loads what the options name. The named kernels come in their order, then the plugins that were
/// not named. Throws UsageError or ConfigError for an unknown name, a bad plugin or pipeline file,
/// and a pipeline for which there is no plugin; UnavailableError where cuDNN is named and not
/// there.
[[nodiscard]] std::vector<ChosenKernel> choose_kernels(const KernelOptions& options);

/// Throws UsageError, with the first reason of every kernel that has one, for what cannot be run at
/// all: no kernel takes any problem, or one that is named does not take the only problem and there
/// is no peer beside it.
void check_support(const KernelOptions& options, const std::vector<ChosenKernel>& kernels,
                   const std::vector<core::AttentionProblem>& problems);

/// Throws UsageError unless one of the kernels quantizes its inputs, which a flag is about.
void require_quantizing(const std::vector<ChosenKernel>& kernels, const std::string& flag);

/// "cudnn 9.19.0, mine 1.0", or nothing without peers.
[[nodiscard]] std::string describe_peers(const std::vector<ChosenKernel>& kernels);

}  // namespace fa3prof::commands
