#include "src/profile/stage_decoder.h"

#include <algorithm>

namespace fa3prof::profile {
namespace {

using core::Stage;

constexpr std::uint32_t kBufferBits = 4;
constexpr std::uint32_t kBufferMask = (1U << kBufferBits) - 1U;

Stage stage_of(std::size_t slot, bool is_producer) {
  return static_cast<Stage>(slot + (is_producer ? static_cast<std::size_t>(Stage::kLoadK) : 0));
}

std::int64_t value_of(Stage stage, std::uint32_t code) {
  switch (stage) {
    case Stage::kKeysReady:
    case Stage::kLoadK:
      return code & kBufferMask;
    case Stage::kValuesReady:
    case Stage::kLoadV:
      return code >> kBufferBits & kBufferMask;
    case Stage::kTile:
      return static_cast<std::int64_t>(code >> 2 * kBufferBits) - 1;
    default:
      return 0;
  }
}

/// The stamps of a record, of which all are before `after`, in their order.
std::vector<core::Stamp> stamps_of(const RawRecord& record, bool is_producer, std::int64_t after) {
  std::vector<core::Stamp> stamps;
  for (std::size_t slot = 0; slot < record.cycles.size(); ++slot) {
    if (record.cycles[slot] == 0) continue;
    const Stage stage = stage_of(slot, is_producer);
    // Differences of low halves are right whatever the high ones are.
    const std::uint32_t before = static_cast<std::uint32_t>(after) - record.cycles[slot];
    stamps.push_back(
        {.cycles = after - before, .stage = stage, .value = value_of(stage, record.code)});
  }
  std::ranges::stable_sort(stamps, {}, &core::Stamp::cycles);
  const std::int64_t tile = value_of(Stage::kTile, record.code);
  const auto begin = std::ranges::find(stamps, Stage::kKeysWait, &core::Stamp::stage);
  if (tile >= 0 && begin != stamps.end()) {
    stamps.insert(begin, {.cycles = begin->cycles, .stage = Stage::kTile, .value = tile});
  }
  return stamps;
}

}  // namespace

core::RoleStamps decode(const RawRing& ring, std::int64_t end_cycles) {
  const std::size_t kept = std::min<std::size_t>(ring.made, ring.capacity);
  std::vector<std::vector<core::Stamp>> by_record(kept);
  std::int64_t after = end_cycles;
  for (std::size_t i = kept; i-- > 0;) {  // backwards from the end, whose counter is whole
    const std::size_t at = (ring.made - kept + i) % ring.capacity;
    by_record[i] = stamps_of(ring.records[at * ring.stride + ring.offset], ring.is_producer, after);
    if (!by_record[i].empty()) after = by_record[i].front().cycles;
  }
  core::RoleStamps role;
  role.dropped = static_cast<std::int64_t>(ring.made - kept);
  for (const auto& stamps : by_record) {
    role.stamps.insert(role.stamps.end(), stamps.begin(), stamps.end());
  }
  return role;
}

double mean_clock_mhz(const std::vector<core::CtaLife>& lives) {
  constexpr double kMhzPerCyclePerNs = 1e3;
  double sum_mhz = 0.0;
  int counted = 0;
  for (const core::CtaLife& life : lives) {
    if (life.end_ns <= life.begin_ns) continue;
    sum_mhz += static_cast<double>(life.cycles()) /
               static_cast<double>(life.end_ns - life.begin_ns) * kMhzPerCyclePerNs;
    ++counted;
  }
  return counted == 0 ? 0.0 : sum_mhz / counted;
}

}  // namespace fa3prof::profile
