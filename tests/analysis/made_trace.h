// Stamps of a launch that never was: one producer and one consumer that runs like clockwork.
#pragma once

#include "src/core/stage_trace.h"

#include <cstdint>

namespace fa3prof::tests {

/// A consumer with one tile, number 7, of `blocks` key blocks, which waits `load_wait` cycles for
/// each K.
[[nodiscard]] core::RoleStamps made_consumer(std::int64_t blocks, std::int64_t load_wait = 10);

/// Two CTAs, of which the first is traced, with `blocks` key blocks; the second one ends a tenth of
/// the launch sooner. The launch takes a fifth longer than the first CTA. 1000 MHz.
[[nodiscard]] core::StageTrace made_trace(std::int64_t blocks, std::int64_t load_wait = 10);

}  // namespace fa3prof::tests
