#include "sim/machine_match.h"

#include "sim/machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace fa3prof::sim {
namespace {

constexpr const char* kCure =
    "measure the GPU with `fa3prof calibrate --output mine.json` and give --machine mine.json, or "
    "choose a file that comes near with --machine (fa3prof list --machines)";

/// One number as the GPU and a machine file state it.
struct Property {
  std::string_view key;
  double stated = 0.0;  ///< by the GPU; 0: not stated
  Machine::Number expected;
  double tolerance_ratio = 0.0;

  [[nodiscard]] bool is_contradicted() const {
    return stated > 0.0 && expected && std::abs(stated - *expected) > tolerance_ratio * *expected;
  }
};

/// Clocks are reported exactly. Memory sizes differ by what the driver keeps and by ECC; drivers
/// have reported 50 and 60 MB of L2 for one board, and a B200's bus as 8192 and 7680 bits.
std::array<Property, 6> properties_of(const core::Gpu& gpu, const Machine& machine) {
  constexpr double kClock = 0.01;
  constexpr double kMemory = 0.07;
  constexpr double kL2 = 0.25;
  return {{{"sm_count", static_cast<double>(gpu.sm_count), static_cast<double>(machine.sm_count)},
           {"clock_max_mhz", gpu.max_sm_clock_mhz, machine.clock_max_mhz, kClock},
           {"memory_bytes", static_cast<double>(gpu.memory_bytes), machine.memory_bytes, kMemory},
           {"memory_clock_mhz", gpu.max_memory_clock_mhz, machine.memory_clock_mhz, kClock},
           {"memory_bus_width_bits", static_cast<double>(gpu.memory_bus_width_bits),
            machine.memory_bus_width_bits, kMemory},
           {"l2_bytes", static_cast<double>(gpu.l2_bytes), machine.l2_bytes, kL2}}};
}

std::vector<Property> contradictions(const core::Gpu& gpu, const Machine& machine) {
  std::vector<Property> found;
  std::ranges::copy_if(properties_of(gpu, machine), std::back_inserter(found),
                       &Property::is_contradicted);
  return found;
}

bool has_pci_device(const core::Gpu& gpu, const Machine& machine) {
  return machine.pci_device_id == static_cast<double>(gpu.pci_device_id);
}

std::string describe(const core::Gpu& gpu) {
  return fmt::format("{} (compute capability {}.{}, {} SMs, {:.0f} MHz, {:.1f} GB)", gpu.name,
                     gpu.capability.major, gpu.capability.minor, gpu.sm_count, gpu.max_sm_clock_mhz,
                     static_cast<double>(gpu.memory_bytes) * 1e-9);
}

/// The machine of the GPU's compute capability with the fewest contradictions, and what they are.
std::string nearest(const core::Gpu& gpu) {
  std::string name;
  std::vector<Property> fewest;
  for (const std::string& candidate : builtin_machines()) {
    const Machine machine = load_machine(candidate);
    if (machine.compute_capability != gpu.capability) continue;
    std::vector<Property> found = contradictions(gpu, machine);
    if (!name.empty() && found.size() >= fewest.size()) continue;
    name = candidate;
    fewest = std::move(found);
  }
  if (name.empty()) return "none has its compute capability";
  std::vector<std::string> differences;
  for (const Property& property : fewest) {
    differences.push_back(
        fmt::format("{} {:.10g}, not {:.10g}", property.key, *property.expected, property.stated));
  }
  return fmt::format("{} comes nearest, but has {}", name, fmt::join(differences, ", "));
}

}  // namespace

std::vector<std::string> machines_for(const core::Gpu& gpu) {
  std::vector<std::string> fitting;
  std::vector<std::string> same_device;
  for (const std::string& name : builtin_machines()) {
    const Machine machine = load_machine(name);
    if (machine.compute_capability != gpu.capability) continue;
    if (!contradictions(gpu, machine).empty()) continue;
    fitting.push_back(name);
    if (has_pci_device(gpu, machine)) same_device.push_back(name);
  }
  return same_device.empty() ? fitting : same_device;
}

std::optional<std::string> machine_for(const core::Gpu& gpu) {
  const std::vector<std::string> names = machines_for(gpu);
  return names.size() == 1 ? std::optional(names.front()) : std::nullopt;
}

std::string why_no_machine(const core::Gpu& gpu) {
  const std::vector<std::string> names = machines_for(gpu);
  if (names.empty()) {
    return fmt::format("no machine file describes {}: {}; {}", describe(gpu), nearest(gpu), kCure);
  }
  return fmt::format(
      "the machine files {} all describe {}, and no PCI device number tells them "
      "apart; {}",
      fmt::join(names, ", "), describe(gpu), kCure);
}

}  // namespace fa3prof::sim
