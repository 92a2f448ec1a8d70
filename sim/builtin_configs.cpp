#include "sim/builtin_configs.h"

#include "src/core/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fa3prof::sim {

std::string_view name_of(ConfigKind kind) {
  switch (kind) {
    case ConfigKind::kMachine:
      return "machine";
    case ConfigKind::kModel:
      return "model";
    case ConfigKind::kPipeline:
      return "pipeline";
    case ConfigKind::kScenario:
      return "scenario";
    case ConfigKind::kSchema:
      return "schema";
  }
  throw core::UsageError("unknown kind of config");
}

std::optional<std::string_view> builtin_config(ConfigKind kind, std::string_view name) {
  for (const BuiltinConfig& config : builtin_configs()) {
    if (config.kind == kind && config.name == name) return config.text;
  }
  return std::nullopt;
}

std::vector<std::string> builtin_config_names(ConfigKind kind) {
  std::vector<std::string> names;
  for (const BuiltinConfig& config : builtin_configs()) {
    if (config.kind == kind) names.emplace_back(config.name);
  }
  std::ranges::sort(names);
  return names;
}

bool is_config_path(std::string_view name_or_path) {
  return name_or_path.find('/') != std::string_view::npos || name_or_path.ends_with(".json");
}

ConfigDocument load_config(ConfigKind kind, const std::string& name_or_path) {
  if (is_config_path(name_or_path)) {
    return {.file = name_or_path, .json = core::load_json(name_or_path)};
  }
  const auto text = builtin_config(kind, name_or_path);
  if (!text) {
    throw core::UsageError(
        fmt::format("unknown {} '{}': choose {}, or give a file's path (with '/' or .json)",
                    name_of(kind), name_or_path, fmt::join(builtin_config_names(kind), ", ")));
  }
  const std::string file = fmt::format("built-in {} {}", name_of(kind), name_or_path);
  return {.file = file, .json = core::parse_json(*text, file)};
}

}  // namespace fa3prof::sim
