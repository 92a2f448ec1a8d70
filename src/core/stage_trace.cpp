#include "src/core/stage_trace.h"

#include <algorithm>

namespace fa3prof::core {
namespace {

/// A consumer that sees all keys of its tiles takes part in each.
std::int64_t key_blocks_of(const TracedCta& cta) {
  std::int64_t most = 0;
  for (const RoleStamps& role : cta.roles) {
    most = std::max(
        most, std::int64_t{std::ranges::count(role.stamps, Stage::kScoresDone, &Stamp::stage)});
  }
  return most;
}

}  // namespace

std::optional<double> StageTrace::cta_loss_ratio() const {
  std::int64_t traced_blocks = 0;
  std::int64_t traced_cycles = 0;
  for (const TracedCta& cta : ctas) {
    traced_blocks += key_blocks_of(cta);
    traced_cycles += cta.life.cycles();
  }
  std::int64_t other_cycles = -traced_cycles;
  for (const CtaLife& life : lives) other_cycles += life.cycles();
  const std::int64_t other_blocks = key_blocks - traced_blocks;
  if (dropped() > 0 || traced_blocks <= 0 || other_blocks <= 0 || other_cycles <= 0) {
    return std::nullopt;
  }
  const auto per_block = [](std::int64_t cycles, std::int64_t blocks) {
    return static_cast<double>(cycles) / static_cast<double>(blocks);
  };
  return per_block(traced_cycles, traced_blocks) / per_block(other_cycles, other_blocks) - 1.0;
}

}  // namespace fa3prof::core
