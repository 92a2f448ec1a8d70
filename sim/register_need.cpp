#include "sim/register_need.h"

#include <algorithm>
#include <string_view>
#include <variant>
#include <vector>

namespace fa3prof::sim {
namespace {

constexpr double kOtherRegisters = 32.0;
constexpr double kMmaSyncDepth = 16.0;  // K of m16n8k16
constexpr double kRegisterBytes = 4.0;

}  // namespace

RegisterNeed register_need(const Role& role, const SizeScope& scope) {
  RegisterNeed need;
  std::vector<std::string_view> counted;
  const double threads = 32.0 * std::max(1, role.warps);
  for (const std::vector<Step>& steps : role.sections) {
    for (const Step& step : steps) {
      const Mma* mma = std::get_if<Mma>(&step.action);
      if (mma == nullptr || std::ranges::find(counted, step.name) != counted.end()) continue;
      counted.push_back(step.name);
      const double m = mma->m.value(scope);
      const double n = mma->n.value(scope);
      const double k = mma->k.value(scope);
      need.accumulators += m * n / threads;
      if (!mma->is_b_shared) {
        need.operands += n * k * scope[SizeName::kElementBytes] / kRegisterBytes / threads;
      }
      if (mma->is_a_shared) continue;
      // A kernel makes P where mma.sync takes it, a fragment at a time.
      const double depth = mma->by == MmaUnit::kMmaSync ? std::min(k, kMmaSyncDepth) : k;
      need.operands += m * depth * scope[SizeName::kElementBytes] / kRegisterBytes / threads;
    }
  }
  need.others = counted.empty() ? role.registers_per_thread : kOtherRegisters;
  return need;
}

}  // namespace fa3prof::sim
