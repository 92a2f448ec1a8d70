// From the rings of a traced launch to moments of 64-bit counters. No CUDA: tests make rings.
#pragma once

#include "src/core/stage_trace.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fa3prof::profile {

/// What a role stamped between two writes, as it lies in memory: low halves of cycle counters, by
/// stage of the role, 0 where nothing was stamped; then buffers (4 bits of K, 4 of V) and above
/// them 1 + the number of the tile that begins, or 0.
struct RawRecord {
  std::array<std::uint32_t, core::kConsumerStages> cycles{};
  std::uint32_t code = 0;
};

/// The ring of one role: its i-th record is entry (i mod capacity) * stride + offset of `records`.
struct RawRing {
  std::span<const RawRecord> records;
  std::size_t capacity = 0;
  std::size_t stride = 1;
  std::size_t offset = 0;
  std::uint32_t made = 0;  ///< records, those included that later ones have replaced
  bool is_producer = false;
};

/// The stamps of the records that the ring still holds; `end_cycles` is the full counter at a
/// moment after the last one. Right as long as no two that follow each other, and neither the last
/// and the end, are 2^32 cycles (two seconds) apart.
[[nodiscard]] core::RoleStamps decode(const RawRing& ring, std::int64_t end_cycles);

/// Mean over the CTAs of cycles by time; 0 where no time passed.
[[nodiscard]] double mean_clock_mhz(const std::vector<core::CtaLife>& lives);

}  // namespace fa3prof::profile
