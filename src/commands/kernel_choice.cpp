#include "src/commands/kernel_choice.h"

#include "src/cli/text_list.h"
#include "src/core/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string_view>

namespace fa3prof::commands {
namespace {

using profile::Plugin;

constexpr const char* kFlag = "--plugin-pipeline";

std::string names_of(const std::vector<Plugin>& plugins) {
  std::string names;
  for (const Plugin& plugin : plugins) names += (names.empty() ? "" : ", ") + plugin.name();
  return names;
}

/// The plugin and the file that one --plugin-pipeline speaks of.
std::pair<std::string, std::string> split_pipeline(const std::string& text,
                                                   const std::vector<Plugin>& plugins) {
  if (plugins.empty()) {
    throw core::UsageError(
        fmt::format("{} {}: there is no plugin; load one with --plugin", kFlag, text));
  }
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos && plugins.size() == 1) return {plugins.front().name(), text};
  if (equals == std::string::npos) {
    throw core::UsageError(
        fmt::format("{} {}: there are several plugins; write NAME={}, with one "
                    "of {}",
                    kFlag, text, text, names_of(plugins)));
  }
  const std::string name = text.substr(0, equals);
  if (std::ranges::find(plugins, name, &Plugin::name) == plugins.end()) {
    throw core::UsageError(fmt::format("{} {}: '{}' is no plugin of this run; choose {}", kFlag,
                                       text, name, names_of(plugins)));
  }
  return {name, text.substr(equals + 1)};
}

std::map<std::string, sim::Pipeline> load_pipelines(const std::vector<std::string>& texts,
                                                    const std::vector<Plugin>& plugins) {
  std::map<std::string, sim::Pipeline> pipelines;
  for (const std::string& text : texts) {
    const auto [name, file] = split_pipeline(text, plugins);
    if (!pipelines.emplace(name, sim::load_pipeline(file)).second) {
      throw core::UsageError(
          fmt::format("{} {}: {} has a pipeline already; give one", kFlag, text, name));
    }
  }
  return pipelines;
}

ChosenKernel own_kernel(const core::AttentionKernel& kernel) {
  ChosenKernel chosen{.name = std::string(kernel.name), .version = "", .own = &kernel};
  if (!kernel.pipeline.empty()) chosen.pipeline = sim::load_pipeline(std::string(kernel.pipeline));
  return chosen;
}

ChosenKernel cudnn_kernel() {
  ChosenKernel kernel;
  kernel.name = core::kCudnn;
  kernel.cudnn = profile::Cudnn::open();
  kernel.version = kernel.cudnn->version();
  return kernel;
}

std::vector<ChosenKernel> wrap(const std::vector<Plugin>& plugins,
                               const std::vector<std::string>& pipeline_texts) {
  const auto pipelines = load_pipelines(pipeline_texts, plugins);
  std::vector<ChosenKernel> kernels;
  for (const Plugin& plugin : plugins) {
    ChosenKernel& kernel = kernels.emplace_back();
    kernel.name = plugin.name();
    kernel.version = plugin.version();
    kernel.plugin = plugin;
    const auto pipeline = pipelines.find(kernel.name);
    if (pipeline != pipelines.end()) kernel.pipeline = pipeline->second;
  }
  return kernels;
}

}  // namespace

void add_kernel_options(CLI::App& verb, KernelOptions& options) {
  const auto set_kernels = [&options](const std::string& text) {
    options.kernels = cli::split_list(text, "--kernel");
  };
  verb.add_option_function<std::string>("--kernel", set_kernels,
                                        "kernels, plugins by name, cudnn; the first is the "
                                        "baseline [fa2 and fa3 where they fit the GPU]")
      ->type_name("NAMES");
  const auto add_schedules = [&options](const std::string& text) {
    options.schedules = cli::split_list(text, "--schedule");
  };
  verb.add_option_function<std::string>("--schedule", add_schedules,
                                        "fa3 with some of its mechanisms: serial, ws (producer "
                                        "warp), pingpong (and turns), overlap "
                                        "(alone), full")
      ->type_name("NAMES");
  verb.add_option("--pv-flush", options.pv_flush_keys,
                  fmt::format("fa3_fp8 with P V added to O in float32 after every N keys; N is {}",
                              core::kPvFlushKeys))
      ->type_name("N")
      ->check(CLI::IsMember({core::kPvFlushKeys}));
  const auto add_plugins = [&options](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      const auto paths = cli::split_list(text, "--plugin");
      options.plugins.insert(options.plugins.end(), paths.begin(), paths.end());
    }
  };
  verb.add_option_function<std::vector<std::string>>(
          "--plugin", add_plugins, "shared libraries with a kernel each, measured beside ours")
      ->type_name("FILES")
      ->allow_extra_args(false);
  verb.add_option("--plugin-pipeline", options.plugin_pipelines,
                  "model of a plugin; NAME= may be left out where there is one [none]")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
}

std::optional<std::string> ChosenKernel::why_unsupported(
    const core::AttentionProblem& problem) const {
  if (cudnn) return cudnn->why_unsupported(problem);
  return plugin ? plugin->why_unsupported(problem) : core::why_unsupported(*own, problem);
}

std::vector<ChosenKernel> choose_kernels(const KernelOptions& options) {
  std::vector<ChosenKernel> plugins =
      wrap(profile::load_plugins(options.plugins), options.plugin_pipelines);
  std::vector<std::string> plugin_names;
  plugin_names.reserve(plugins.size());
  for (const ChosenKernel& plugin : plugins) plugin_names.push_back(plugin.name);
  std::vector<ChosenKernel> chosen;
  for (const std::string& name : options.kernels) {
    const auto plugin = std::ranges::find(plugins, name, &ChosenKernel::name);
    if (name == core::kCudnn) {
      chosen.push_back(cudnn_kernel());
    } else if (plugin == plugins.end()) {
      chosen.push_back(own_kernel(core::find_kernel(name, plugin_names)));
    } else {
      chosen.push_back(*plugin);
      plugins.erase(plugin);
    }
  }
  const auto add = [&chosen](const core::AttentionKernel& kernel) {
    if (std::ranges::find(chosen, kernel.name, &ChosenKernel::name) == chosen.end()) {
      chosen.push_back(own_kernel(kernel));
    }
  };
  for (const std::string& schedule : options.schedules) add(core::find_schedule(schedule));
  if (options.pv_flush_keys) add(core::find_kernel(core::kFp8Flushing));
  if (!options.names_any()) {
    for (const core::AttentionKernel& kernel : core::complete_kernels()) {
      chosen.push_back(own_kernel(kernel));
    }
  }
  chosen.insert(chosen.end(), plugins.begin(), plugins.end());
  return chosen;
}

void check_support(const KernelOptions& options, const std::vector<ChosenKernel>& kernels,
                   const std::vector<core::AttentionProblem>& problems) {
  std::vector<std::string> reasons;
  bool has_any = false;
  for (const ChosenKernel& kernel : kernels) {
    std::optional<std::string> first_reason;
    for (const core::AttentionProblem& problem : problems) {
      const auto reason = kernel.why_unsupported(problem);
      has_any = has_any || !reason;
      if (!first_reason) first_reason = reason;
    }
    if (first_reason) reasons.push_back(*first_reason);
  }
  const bool has_peer = std::ranges::any_of(
      kernels, [](const ChosenKernel& kernel) { return kernel.own == nullptr; });
  // A kernel named for the only problem is meant; the others may be left out, with their reason.
  const bool may_leave_out = problems.size() > 1 || has_peer || options.leaves_out();
  if (reasons.empty() || (has_any && may_leave_out)) return;
  throw core::UsageError(fmt::format("{}; choose another --kernel or problem (fa3prof list)",
                                     fmt::join(reasons, "; ")));
}

void require_quantizing(const std::vector<ChosenKernel>& kernels, const std::string& flag) {
  const auto quantizes = [](const ChosenKernel& kernel) {
    return kernel.own != nullptr && kernel.own->quantizes;
  };
  if (std::ranges::any_of(kernels, quantizes)) return;
  throw core::UsageError(flag + ": no kernel of this run quantizes; add one, as --kernel fa3_fp8");
}

std::string describe_peers(const std::vector<ChosenKernel>& kernels) {
  std::string text;
  for (const ChosenKernel& kernel : kernels) {
    if (kernel.own != nullptr) continue;
    text += (text.empty() ? "" : ", ") + kernel.name + " " + kernel.version;
  }
  return text;
}

}  // namespace fa3prof::commands
