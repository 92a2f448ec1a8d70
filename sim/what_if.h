// Machines and pipelines with other values than their files have: "mufu=2x,stages=3".
#pragma once

#include "sim/config_values.h"
#include "sim/machine.h"
#include "sim/pipeline.h"
#include "src/core/what_if.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fa3prof::sim {

/// "mufu" and "2x".
struct StatedChange {
  std::string name;
  std::string value;
};

/// "mufu=2x,stages=3". Throws UsageError for an item without a name or a value and a name twice.
[[nodiscard]] std::vector<StatedChange> parse_changes(std::string_view text);

/// What a what-if makes of a machine and pipelines.
struct WhatIf {
  Machine machine;
  bool is_machine_changed = false;
  std::vector<Pipeline> pipelines;     ///< those that differ or run on a changed machine
  std::vector<std::string> unchanged;  ///< names of the others
  std::vector<core::ValueChange> changes;
};

/// Reads machine and pipelines anew with the changes, as strictly as from a file. What is changed
/// is called "h200_sxm with mufu=2x". A name is one of change_names() or a path (find_values); it
/// may be of the machine, of some of the pipelines, or both, but must be of one of them.
///
/// Throws UsageError for an unknown name, with near matches, and for a value that cannot be; and
/// ConfigError for one that no file may have.
[[nodiscard]] WhatIf apply_changes(const Machine& machine, const std::vector<Pipeline>& pipelines,
                                   const std::vector<StatedChange>& changes);

/// "h200_sxm" of "h200_sxm with mufu=2x"; any other name as it is.
[[nodiscard]] std::string unchanged_name(std::string_view name);

/// A short name and the values it stands for.
struct ShortName {
  std::string_view name;
  std::vector<std::string_view> paths;  ///< of machine or pipelines
  bool takes_factors_only = false;      ///< since it stands for different numbers
};

[[nodiscard]] std::span<const ShortName> short_names();

}  // namespace fa3prof::sim
