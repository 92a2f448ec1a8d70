#include "sim/what_if.h"

#include "src/core/error.h"
#include "src/core/near_match.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

namespace fa3prof::sim {
namespace {

using core::Json;

constexpr std::string_view kWith = " with ";

std::string text_of(const StatedChange& change) { return change.name + "=" + change.value; }

std::vector<std::string_view> paths_of(const StatedChange& change) {
  const auto known = std::ranges::find(short_names(), change.name, &ShortName::name);
  if (known == short_names().end()) return {change.name};
  if (known->takes_factors_only && !is_factor(change.value)) {
    throw core::UsageError(
        fmt::format("--what-if: {} stands for {}, which differ: state a factor such as 2x, or one "
                    "of them by its name",
                    change.name, fmt::join(known->paths, ", ")));
  }
  return known->paths;
}

/// A document in the making, and what was done to it.
class ChangedDocument {
 public:
  ChangedDocument(std::string kind, std::string name, const std::shared_ptr<const Json>& document)
      : kind_(std::move(kind)), name_(std::move(name)), json_(document ? *document : Json()) {}

  /// Whether anything in it has that name.
  bool apply(const StatedChange& change) {
    bool is_there = false;
    for (const std::string_view path : paths_of(change)) {
      for (const FoundValue& found : find_values(json_, path)) {
        set(change, found);
        is_there = true;
      }
    }
    if (is_there) note(change);
    return is_there;
  }

  /// States a number that the file does not.
  void add(const StatedChange& change, const std::string& key) {
    const Json value = changed_value(Json(0.0), key, change.value);
    json_[key] = {{"value", value}, {"source", "--what-if " + text_of(change)}};
    changes_.push_back({.stated = text_of(change),
                        .file = kind_ + " " + name_,
                        .pointer = "/" + key + "/value",
                        .from = std::nullopt,
                        .to = config_value(value)});
    note(change);
  }

  [[nodiscard]] bool is_changed() const { return !changes_.empty(); }

  [[nodiscard]] const std::vector<core::ValueChange>& changes() const { return changes_; }

  /// For reading it anew, under its new name.
  [[nodiscard]] const Json& named() {
    json_["name"] = changed_name();
    if (!json_.contains("kernel") && kind_ == "pipeline") json_["kernel"] = name_;
    return json_;
  }

  [[nodiscard]] std::string changed_name() const {
    return fmt::format("{}{}{}", name_, kWith, fmt::join(stated_, ","));
  }

 private:
  void set(const StatedChange& change, const FoundValue& found) {
    const Json value = changed_value(*found.value, found.key, change.value);
    if (value == *found.value) return;
    changes_.push_back({.stated = text_of(change),
                        .file = kind_ + " " + name_,
                        .pointer = found.pointer,
                        .from = config_value(*found.value),
                        .to = config_value(value)});
    *found.value = value;
  }

  void note(const StatedChange& change) { stated_.push_back(text_of(change)); }

  std::string kind_;
  std::string name_;
  Json json_;
  std::vector<std::string> stated_;
  std::vector<core::ValueChange> changes_;
};

/// A number that some machine may state and this one does not.
bool add_to_machine(const StatedChange& change, ChangedDocument& machine) {
  for (const std::string_view path : paths_of(change)) {
    const auto numbers = machine_numbers();
    if (std::ranges::find(numbers, path, &MachineNumber::key) == numbers.end()) continue;
    if (is_factor(change.value)) {
      throw core::UsageError(fmt::format(
          "--what-if: the machine does not state {}; give it a value, not a factor", path));
    }
    machine.add(change, std::string(path));
    return true;
  }
  return false;
}

[[noreturn]] void refuse_unknown(const std::string& name, const Machine& machine,
                                 const std::vector<Pipeline>& pipelines) {
  constexpr std::size_t kShown = 6;
  std::vector<std::string> known;
  for (const ShortName& each : short_names()) {
    if (each.name == name) {
      throw core::UsageError(fmt::format(
          "--what-if: {} stands for {}, which neither machine {} nor a chosen pipeline has", name,
          fmt::join(each.paths, ", "), machine.name));
    }
    known.emplace_back(each.name);
  }
  for (const MachineNumber& number : machine_numbers()) known.emplace_back(number.key);
  const auto add_names = [&known](const std::shared_ptr<const Json>& document) {
    if (!document) return;
    for (NamedValue& value : named_values(*document)) {
      if (std::ranges::find(known, value.name) == known.end())
        known.push_back(std::move(value.name));
    }
  };
  add_names(machine.document);
  for (const Pipeline& pipeline : pipelines) add_names(pipeline.document);
  const std::vector<std::string> near = core::near_matches(name, known, kShown);
  throw core::UsageError(fmt::format(
      "--what-if: neither machine {} nor a pipeline has a value '{}'{}; --what-if list shows all",
      machine.name, name,
      near.empty() ? "" : fmt::format("; did you mean {}?", fmt::join(near, ", "))));
}

}  // namespace

std::span<const ShortName> short_names() {
  static const std::vector<ShortName> kNames{
      {"clock", {"clock_load_mhz", "clock_mma_sync_load_mhz"}},
      {"sms", {"sm_count"}},
      {"tensor",
       {"wgmma_fp16_flop_per_cycle", "wgmma_fp8_flop_per_cycle", "mma_sync_fp16_flop_per_cycle"},
       true},
      {"mufu", {"mufu_per_cycle"}},
      {"fp32", {"fp32_per_cycle"}},
      {"alu", {"alu_per_cycle"}},
      {"convert", {"convert_fp16_per_cycle", "convert_fp8_per_cycle"}},
      {"shuffle", {"shuffle_per_cycle"}},
      {"issue", {"issue_per_cycle"}},
      {"smem", {"shared_memory_per_cta_bytes", "shared_memory_per_sm_bytes"}, true},
      {"smem_rate", {"shared_memory_bytes_per_cycle"}},
      {"registers", {"registers_per_sm"}},
      {"tma", {"tma_bytes_per_cycle"}},
      {"tma_latency", {"tma_latency_cycles"}},
      {"l2", {"l2_bytes_per_cycle"}},
      {"l2_size", {"l2_bytes", "l2_effective_bytes"}, true},
      {"hbm", {"hbm_bytes_per_s"}},
      {"mbarrier", {"mbarrier_cycles"}},
      {"launch", {"launch_us"}},
      {"stages", {"tiles.*.stages"}},
      {"tile_m", {"tiles.*.tile_m"}},
      {"tile_n", {"tiles.*.tile_n"}},
      {"consumers", {"roles.consumer.instances", "tiles.*.roles.consumer.instances"}},
      {"consumer_registers",
       {"roles.consumer.registers_per_thread", "tiles.*.roles.consumer.registers_per_thread"}},
      {"ctas", {"ctas_per_sm", "tiles.*.ctas_per_sm"}},
      {"persistent", {"is_persistent"}}};
  return kNames;
}

std::vector<StatedChange> parse_changes(std::string_view text) {
  std::vector<StatedChange> changes;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view item = text.substr(begin, end - begin);
    const std::size_t equals = item.find('=');
    begin = end + 1;
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == item.size()) {
      throw core::UsageError(fmt::format(
          "--what-if: '{}' is no change; write a list such as mufu=2x,stages=3, or list", item));
    }
    StatedChange change{.name = std::string(item.substr(0, equals)),
                        .value = std::string(item.substr(equals + 1))};
    if (std::ranges::find(changes, change.name, &StatedChange::name) != changes.end()) {
      throw core::UsageError(fmt::format("--what-if: {} is changed twice", change.name));
    }
    changes.push_back(std::move(change));
  }
  return changes;
}

WhatIf apply_changes(const Machine& machine, const std::vector<Pipeline>& pipelines,
                     const std::vector<StatedChange>& changes) {
  ChangedDocument machine_document("machine", machine.name, machine.document);
  std::vector<ChangedDocument> documents;
  for (const Pipeline& pipeline : pipelines) {
    documents.emplace_back("pipeline", pipeline.name, pipeline.document);
  }
  for (const StatedChange& change : changes) {
    bool is_known = machine_document.apply(change);
    for (ChangedDocument& document : documents) is_known = document.apply(change) || is_known;
    if (!is_known && !add_to_machine(change, machine_document)) {
      refuse_unknown(change.name, machine, pipelines);
    }
  }
  WhatIf result;
  result.machine = machine;
  result.is_machine_changed = machine_document.is_changed();
  result.changes = machine_document.changes();
  if (result.is_machine_changed) {
    result.machine = read_machine({machine_document.named(), machine_document.changed_name()});
  }
  for (std::size_t i = 0; i < pipelines.size(); ++i) {
    ChangedDocument& document = documents[i];
    if (!document.is_changed() && !result.is_machine_changed) {
      result.unchanged.push_back(pipelines[i].name);
      continue;
    }
    result.pipelines.push_back(document.is_changed()
                                   ? read_pipeline({document.named(), document.changed_name()})
                                   : pipelines[i]);
    result.changes.insert(result.changes.end(), document.changes().begin(),
                          document.changes().end());
  }
  return result;
}

std::string unchanged_name(std::string_view name) {
  return std::string(name.substr(0, name.find(kWith)));
}

}  // namespace fa3prof::sim
