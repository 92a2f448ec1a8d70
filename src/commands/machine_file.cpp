#include "src/commands/machine_file.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string_view>

namespace fa3prof::commands {
namespace {

using core::Json;
using profile::MachineNumber;

constexpr double kPercent = 100.0;

std::string source_of(const MachineNumber& number, const MachineOrigin& origin) {
  if (number.is_exact) return fmt::format("{}: {}", origin.measured_by, number.how);
  return fmt::format("{}: {}; middle 80 % of the samples within +-{:.1f} %", origin.measured_by,
                     number.how, number.spread_ratio * kPercent);
}

/// Whole numbers without a fraction, as people write them.
Json number_json(double value) {
  constexpr double kMostExact = 9007199254740992.0;  // 2^53
  if (value == std::floor(value) && std::abs(value) < kMostExact) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

/// What the base does not say of the GPU and its driver does.
void add_identity(const core::Gpu& gpu, Json& document) {
  const auto add = [&document](const char* key, double value) {
    if (value == 0.0 || document.contains(key)) return;
    document[key] = {{"value", number_json(value)}, {"source", "stated by the driver"}};
  };
  add("sm_count", gpu.sm_count);
  add("memory_clock_mhz", gpu.max_memory_clock_mhz);
  add("memory_bus_width_bits", gpu.memory_bus_width_bits);
  add("pci_device_id", gpu.pci_device_id);
}

}  // namespace

double rounded_to_four_digits(double value) {
  constexpr int kDigits = 4;
  if (value == 0.0 || !std::isfinite(value)) return value;
  const int exponent = kDigits - 1 - static_cast<int>(std::floor(std::log10(std::abs(value))));
  if (exponent >= 0) {
    const double scale = std::pow(10.0, exponent);
    return std::round(value * scale) / scale;
  }
  const double scale = std::pow(10.0, -exponent);
  return std::round(value / scale) * scale;
}

Json machine_document(const Json& base, const std::vector<MachineNumber>& numbers,
                      const MachineOrigin& origin, const core::Gpu& gpu) {
  Json document;
  document["name"] = origin.name;
  document["description"] = origin.description;
  for (const auto& [key, value] : base.items()) {
    if (key != "name" && key != "description") document[key] = value;
  }
  document["compute_capability"] = {gpu.capability.major, gpu.capability.minor};
  add_identity(gpu, document);
  for (const MachineNumber& number : numbers) {
    const double value = number.is_exact ? number.value : rounded_to_four_digits(number.value);
    document[number.key] = {{"value", number_json(value)}, {"source", source_of(number, origin)}};
  }
  return document;
}

std::string machine_text(const Json& document) {
  std::string text = "{";
  std::string_view separator = "\n";
  for (const auto& [key, value] : document.items()) {
    std::string shown = value.dump();
    if (value.is_object()) {
      shown = fmt::format(R"({{"value": {}, "source": {}}})", value.at("value").dump(),
                          value.at("source").dump());
    } else if (value.is_array()) {
      shown = fmt::format("[{}, {}]", value.at(0).dump(), value.at(1).dump());
    }
    text += fmt::format("{}  {}: {}", separator, Json(key).dump(), shown);
    separator = ",\n";
  }
  return text + "\n}\n";
}

}  // namespace fa3prof::commands
