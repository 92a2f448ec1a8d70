// A read of device memory by all SMs, for bandwidth and to push everything else out of L2.
#pragma once

#include "kernels/microbench/session.h"

#include <cstddef>

namespace fa3prof::kernels::microbench {

inline constexpr unsigned kReadCtasPerSm = 4;
inline constexpr unsigned kChunkBytes = 32 * 1024;

/// Enqueues a read in which every CTA takes `steps` chunks of the first `bytes` of `data`, starting
/// at its own and going on by the grid. Leaves the cycles of each CTA.
void enqueue_read(const Session& session, const DeviceBuffer& data, std::size_t bytes,
                  unsigned steps);

/// Reads all of `data` once, so that L2 holds nothing else.
void flush_l2(const Session& session, const DeviceBuffer& data);

}  // namespace fa3prof::kernels::microbench
