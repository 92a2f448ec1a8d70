#include "sim/load_clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <variant>
#include <vector>

namespace fa3prof::sim {
namespace {

bool multiplies_by(MmaUnit unit, const Pipeline& pipeline) {
  const auto is_by_unit = [unit](const Step& step) {
    const auto* mma = std::get_if<Mma>(&step.action);
    return mma != nullptr && mma->by == unit;
  };
  return std::ranges::any_of(pipeline.roles, [&](const Role& role) {
    return std::ranges::any_of(role.sections, [&](const std::vector<Step>& steps) {
      return std::ranges::any_of(steps, is_by_unit);
    });
  });
}

bool has_own_clock(const Pipeline& pipeline, const Machine& machine) {
  return machine.clock_mma_sync_load_mhz && multiplies_by(MmaUnit::kMmaSync, pipeline) &&
         !multiplies_by(MmaUnit::kWgmma, pipeline);
}

}  // namespace

Machine under_load_of(const Pipeline& pipeline, Machine machine) {
  if (has_own_clock(pipeline, machine)) machine.clock_load_mhz = machine.clock_mma_sync_load_mhz;
  return machine;
}

std::string clock_basis(const Pipeline& pipeline, const Machine& machine) {
  std::string_view key = machine.clock_load_mhz ? "clock_load_mhz" : "clock_max_mhz";
  if (has_own_clock(pipeline, machine)) key = "clock_mma_sync_load_mhz";
  return fmt::format("{} of machine {}", key, machine.name);
}

}  // namespace fa3prof::sim
