// Door 3 of kernels/: launch an attention kernel that stamps the stages of its pipeline. Its code
// is the timed kernel's with stamps between; the timed kernel has none.
#pragma once

#include "kernels/attention.h"
#include "kernels/runtime/clock_stamp.h"
#include "src/core/stage.h"

#include <array>
#include <cstdint>

namespace fa3prof::kernels {

/// The stamps of one role on one key block as they lie in memory. A consumer writes it while it
/// issues P V: it then waits for the tensor core anyway.
struct alignas(16) StampRecord {
  /// Low halves of the SM's cycle counter; 0: not stamped. A consumer's by core::Stage, a
  /// producer's kLoadK, kLoadV and kLoadQ.
  std::array<std::uint32_t, core::kConsumerStages> cycles{};
  /// Buffers of K and of V in 4 bits each, above them 1 + the number of the tile that begins, or 0.
  std::uint32_t code = 0;
};

static_assert(sizeof(StampRecord) == 48);

/// Roles of a CTA: a producer, and up to three consumer warpgroups after it.
inline constexpr int kTraceRoles = 4;
inline constexpr int kMostTracedCtas = 32;

/// Beginning and end of one CTA, which every CTA of a traced launch writes.
struct CtaStamps {
  ClockStamp begin;
  std::array<ClockStamp, kTraceRoles> ends;  ///< of its warpgroups; zero for one that it lacks
  std::uint32_t sm = 0;
  std::uint32_t reserved = 0;
};

/// Where a traced launch writes. Device pointers, zeroed before the launch.
struct TraceRings {
  /// The rings of all roles, interleaved: record i of role r of the c-th traced CTA is entry
  /// (i mod capacity) * slots + c * kTraceRoles + r. A full ring is written anew from its start.
  StampRecord* records = nullptr;
  std::uint32_t* counts = nullptr;  ///< by slot: records of the role; wrong beyond 2^32 / slots
  CtaStamps* ctas = nullptr;        ///< by CTA of the grid
  std::uint32_t slots = 0;          ///< power of two, at least traced CTAs * kTraceRoles
  std::uint32_t capacity = 0;       ///< of each ring; a power of two
  int traced_ctas = 0;
  std::array<int, kMostTracedCtas> cta{};  ///< their numbers
};

/// Whether `kernel` has an instance with stamps for `problem`.
[[nodiscard]] bool has_stage_trace(const core::AttentionKernel& kernel,
                                   const core::AttentionProblem& problem);

/// As launch_attention, with stamps. Throws UsageError where there is no such instance.
void launch_traced(const core::AttentionKernel& kernel, const core::AttentionProblem& problem,
                   const AttentionTensors& tensors, const TraceRings& rings, cudaStream_t stream);

}  // namespace fa3prof::kernels
