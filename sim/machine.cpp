#include "sim/machine.h"

#include "sim/builtin_configs.h"
#include "src/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace fa3prof::sim {
namespace {

using Field = MachineNumber;

// One row per number: read, required() and the JSON Schema use the same keys.
constexpr std::array kFields{
    Field{"clock_spec_mhz", &Machine::clock_spec_mhz},
    Field{"clock_max_mhz", &Machine::clock_max_mhz},
    Field{"clock_load_mhz", &Machine::clock_load_mhz},
    Field{"clock_mma_sync_load_mhz", &Machine::clock_mma_sync_load_mhz},
    Field{"memory_bytes", &Machine::memory_bytes},
    Field{"memory_clock_mhz", &Machine::memory_clock_mhz},
    Field{"memory_bus_width_bits", &Machine::memory_bus_width_bits},
    Field{"l2_bytes", &Machine::l2_bytes},
    Field{"pci_device_id", &Machine::pci_device_id},
    Field{"shared_memory_per_cta_bytes", &Machine::shared_memory_per_cta_bytes},
    Field{"shared_memory_per_sm_bytes", &Machine::shared_memory_per_sm_bytes},
    Field{"shared_memory_reserved_bytes", &Machine::shared_memory_reserved_bytes},
    Field{"registers_per_sm", &Machine::registers_per_sm},
    Field{"threads_per_sm", &Machine::threads_per_sm},
    Field{"wgmma_fp16_flop_per_cycle", &Machine::wgmma_fp16_flop_per_cycle},
    Field{"wgmma_fp8_flop_per_cycle", &Machine::wgmma_fp8_flop_per_cycle},
    Field{"mma_sync_fp16_flop_per_cycle", &Machine::mma_sync_fp16_flop_per_cycle},
    Field{"wgmma_issue_ahead_instructions", &Machine::wgmma_issue_ahead_instructions},
    Field{"wgmma_start_cycles", &Machine::wgmma_start_cycles},
    Field{"wgmma_wait_cycles", &Machine::wgmma_wait_cycles},
    Field{"wgmma_stall_per_fp32_cycle", &Machine::wgmma_stall_per_fp32_cycle},
    Field{"mufu_slowdown_beside_wgmma_ratio", &Machine::mufu_slowdown_beside_wgmma_ratio},
    Field{"own_wgmma_slowdown_over_others_ratio", &Machine::own_wgmma_slowdown_over_others_ratio},
    Field{"alu_slowdown_beside_wgmma_ratio", &Machine::alu_slowdown_beside_wgmma_ratio},
    Field{"fp32_slowdown_beside_wgmma_ratio", &Machine::fp32_slowdown_beside_wgmma_ratio},
    Field{"fp32_per_cycle", &Machine::fp32_per_cycle},
    Field{"mufu_per_cycle", &Machine::mufu_per_cycle},
    Field{"alu_per_cycle", &Machine::alu_per_cycle},
    Field{"convert_fp16_per_cycle", &Machine::convert_fp16_per_cycle},
    Field{"convert_fp8_per_cycle", &Machine::convert_fp8_per_cycle},
    Field{"shuffle_per_cycle", &Machine::shuffle_per_cycle},
    Field{"issue_per_cycle", &Machine::issue_per_cycle},
    Field{"shuffle_latency_cycles", &Machine::shuffle_latency_cycles},
    Field{"fp32_latency_cycles", &Machine::fp32_latency_cycles},
    Field{"alu_latency_cycles", &Machine::alu_latency_cycles},
    Field{"mufu_latency_cycles", &Machine::mufu_latency_cycles},
    Field{"shared_memory_bytes_per_cycle", &Machine::shared_memory_bytes_per_cycle},
    Field{"tma_latency_cycles", &Machine::tma_latency_cycles},
    Field{"tma_miss_latency_cycles", &Machine::tma_miss_latency_cycles},
    Field{"tma_bytes_per_cycle", &Machine::tma_bytes_per_cycle},
    Field{"cp_async_latency_cycles", &Machine::cp_async_latency_cycles},
    Field{"cp_async_bytes_per_cycle", &Machine::cp_async_bytes_per_cycle},
    Field{"l2_bytes_per_cycle", &Machine::l2_bytes_per_cycle},
    Field{"l2_effective_bytes", &Machine::l2_effective_bytes},
    Field{"hbm_bytes_per_s", &Machine::hbm_bytes_per_s},
    Field{"link_bytes_per_s", &Machine::link_bytes_per_s},
    Field{"mbarrier_open_cycles", &Machine::mbarrier_open_cycles},
    Field{"named_barrier_open_cycles", &Machine::named_barrier_open_cycles},
    Field{"mbarrier_cycles", &Machine::mbarrier_cycles},
    Field{"named_barrier_cycles", &Machine::named_barrier_cycles},
    Field{"cta_barrier_cycles", &Machine::cta_barrier_cycles},
    Field{"store_bytes_per_cycle", &Machine::store_bytes_per_cycle},
    Field{"atomic_cycles", &Machine::atomic_cycles},
    Field{"register_change_cycles", &Machine::register_change_cycles},
    Field{"tensor_map_cycles", &Machine::tensor_map_cycles},
    Field{"launch_us", &Machine::launch_us},
};

constexpr std::int64_t kMostSms = 1 << 20;
constexpr double kMostSlowdown = 1e3;
constexpr double kMostIssuedAhead = 1 << 20;  // far beyond any program, and it fits an int

core::ComputeCapability read_capability(const core::JsonReader& reader) {
  const auto parts = reader.items();
  if (parts.size() != 2) reader.fail("must be [major, minor], for example [9, 0]");
  return {.major = static_cast<int>(parts[0].integer({.min = 1, .max = 99})),
          .minor = static_cast<int>(parts[1].integer({.min = 0, .max = 99}))};
}

}  // namespace

std::span<const MachineNumber> machine_numbers() { return kFields; }

// Latencies may be zero in an idealised machine; what is divided by may not, and a slowdown slows.
core::NumberRange range_of(std::string_view key) {
  if (key.find("_slowdown_") != std::string_view::npos) return {.min = 1.0, .max = kMostSlowdown};
  if (key == "wgmma_issue_ahead_instructions") return {.min = 0.0, .max = kMostIssuedAhead};
  const bool may_be_zero = key.ends_with("_cycles") || key == "wgmma_stall_per_fp32_cycle" ||
                           key == "launch_us" || key == "shared_memory_reserved_bytes";
  return may_be_zero ? core::kNotNegative : core::kPositive;
}

double required(const Machine& machine, Machine::Number Machine::*member, std::string_view user) {
  if (const auto& number = machine.*member) return *number;
  for (const Field& field : kFields) {
    if (field.member != member) continue;
    throw core::UsageError(
        fmt::format("{} needs {}, which machine {} does not state: choose a "
                    "machine that has it, or add it to the machine file",
                    user, field.key, machine.name));
  }
  throw core::UsageError(fmt::format("{} needs a number of machine {}", user, machine.name));
}

Machine read_machine(core::JsonReader reader) {
  Machine machine;
  machine.document = std::make_shared<const core::Json>(reader.value());
  machine.name = reader.at("name").string();
  if (auto text = reader.find("description")) machine.description = text->string();
  const core::SourcedNumber sms =
      reader.at("sm_count").sourced_number({.min = 1, .max = static_cast<double>(kMostSms)});
  machine.sm_count = static_cast<std::int64_t>(sms.value);
  if (static_cast<double>(machine.sm_count) != sms.value) {
    reader.at("sm_count").at("value").fail("must be an integer");
  }
  if (auto capability = reader.find("compute_capability")) {
    machine.compute_capability = read_capability(*capability);
  }
  for (const Field& field : kFields) {
    const auto number = reader.find(field.key);
    if (!number) continue;
    machine.*field.member = number->sourced_number(range_of(field.key)).value;
  }
  reader.finish();
  return machine;
}

Machine load_machine(const std::string& name_or_path) {
  const ConfigDocument document = load_config(ConfigKind::kMachine, name_or_path);
  return read_machine({document.json, document.file});
}

std::vector<std::string> builtin_machines() { return builtin_config_names(ConfigKind::kMachine); }

double miss_cycles(const Machine& machine) {
  if (!machine.tma_latency_cycles || !machine.tma_miss_latency_cycles) return 0.0;
  return std::max(0.0, *machine.tma_miss_latency_cycles - *machine.tma_latency_cycles);
}

}  // namespace fa3prof::sim
