// Stamps of the stages of an FA3-style kernel. An instance stamps where it is Traced; elsewhere the
// same calls are empty and leave no instruction.
#pragma once

#include "kernels/ptx/clock.cuh"
#include "kernels/ptx/global_store.cuh"
#include "kernels/ptx/unroll.h"
#include "kernels/stage_trace.h"

#include <cstdint>
#include <type_traits>

namespace fa3prof::kernels::fa3 {

/// The kernel whose traced CTAs stamp; its other CTAs run the code of the timed kernel.
template <typename Instance>
struct Traced : Instance {
  using Untraced = Instance;
};

template <typename Instance>
inline constexpr bool kIsTraced = false;
template <typename Instance>
inline constexpr bool kIsTraced<Traced<Instance>> = true;

/// The launch parameters of a traced instance.
template <typename Parameters>
struct TracedParameters : Parameters {
  TraceRings rings;
};

template <typename Instance, typename Parameters>
using ParametersOf =
    std::conditional_t<kIsTraced<Instance>, TracedParameters<Parameters>, Parameters>;

/// Where the stamps of a CTA go, if it is traced.
struct RingPlace {
  const TraceRings* rings;
  int cta;  ///< index among the traced ones; negative where it is not
};

/// In its place where nothing is stamped.
struct NoRings {};

/// Stamps nothing.
struct NoStamps {
  __device__ __forceinline__ void start(NoRings, int) {}

  __device__ __forceinline__ void stamp(core::Stage) {}

  __device__ __forceinline__ void stamp_alike(core::Stage, core::Stage) {}

  __device__ __forceinline__ void stamp_buffer(core::Stage, int) {}

  __device__ __forceinline__ void begin_tile(int) {}

  __device__ __forceinline__ void write() {}

  __device__ __forceinline__ void finish(int) {}
};

/// Stamps of one role. They are kept in registers until write(), by one of its threads; the others
/// run the same instructions with their stores switched off, since a branch would split the warp
/// between WGMMAs. Nothing waits for the stores.
class RingStamps {
 public:
  /// Before the first stamp of `role`: 0 is the producer, consumer warpgroups follow.
  __device__ __forceinline__ void start(const RingPlace& place, int role) {
    rings_ = place.rings;
    writes_ = role == 0 || threadIdx.x % 128 == 0;
    at_ = static_cast<std::uint32_t>(place.cta * kTraceRoles + role);
  }

  /// Each stage once between two writes.
  __device__ __forceinline__ void stamp(core::Stage stage) {
    cycles_[slot_of(stage)] = ptx::clock32();
  }

  /// A stage that is reached at the moment of `other`, which has been stamped.
  __device__ __forceinline__ void stamp_alike(core::Stage stage, core::Stage other) {
    cycles_[slot_of(stage)] = cycles_[slot_of(other)];
  }

  /// Of K or V, which lies in `buffer`.
  __device__ __forceinline__ void stamp_buffer(core::Stage stage, int buffer) {
    const bool is_k = stage == core::Stage::kKeysReady || stage == core::Stage::kLoadK;
    code_ |= static_cast<std::uint32_t>(buffer) << (is_k ? 0U : 4U);
    stamp(stage);
  }

  __device__ __forceinline__ void begin_tile(int tile_index) {
    code_ |= static_cast<std::uint32_t>(tile_index + 1) << 8U;
  }

  /// Writes what has been stamped since the last time.
  __device__ __forceinline__ void write() {
    StampRecord& record = rings_->records[at_ & (rings_->slots * rings_->capacity - 1)];
    FA3PROF_UNROLL
    for (int i = 0; i < kWords; i += 4) {
      ptx::store_16_bytes_if(writes_, &record.cycles[i],
                             {word(i), word(i + 1), word(i + 2), word(i + 3)});
    }
    FA3PROF_UNROLL
    for (int i = 0; i + 1 < kWords; ++i) cycles_[i] = 0;
    code_ = 0;
    at_ += rings_->slots;
  }

  /// After the last write of `role`.
  __device__ __forceinline__ void finish(int) {
    if (writes_) rings_->counts[at_ % rings_->slots] = at_ / rings_->slots;
  }

 private:
  static constexpr int kWords = sizeof(StampRecord) / sizeof(std::uint32_t);

  static __device__ __forceinline__ constexpr int slot_of(core::Stage stage) {
    const int first = stage >= core::Stage::kLoadK ? static_cast<int>(core::Stage::kLoadK) : 0;
    return static_cast<int>(stage) - first;
  }

  [[nodiscard]] __device__ __forceinline__ std::uint32_t word(int i) const {
    return i + 1 == kWords ? code_ : cycles_[i];
  }

  const TraceRings* rings_ = nullptr;
  bool writes_ = false;
  std::uint32_t at_ = 0;  ///< entry of the next record, not yet reduced to the ring's length
  std::uint32_t cycles_[core::kConsumerStages] = {};
  std::uint32_t code_ = 0;
};

template <typename Instance>
using StageStamps = std::conditional_t<kIsTraced<Instance>, RingStamps, NoStamps>;

template <typename Instance>
using Rings = std::conditional_t<kIsTraced<Instance>, RingPlace, NoRings>;

/// Stamps the CTA's beginning, by one thread of it.
template <typename Instance, typename Parameters>
__device__ __forceinline__ void stamp_begin(const Parameters& p) {
  if constexpr (kIsTraced<Instance>) {
    CtaStamps& cta = p.rings.ctas[blockIdx.x];
    cta.begin = {ptx::clock64(), ptx::globaltimer()};
    cta.sm = ptx::smid();
  }
}

/// Where the stamps of this CTA go.
template <typename Parameters>
__device__ __forceinline__ RingPlace ring_place(const Parameters& p) {
  int found = -1;
  for (int i = 0; i < p.rings.traced_ctas; ++i) {
    if (p.rings.cta[i] == static_cast<int>(blockIdx.x)) found = i;
  }
  return {&p.rings, found};
}

/// Stamps the end of a warpgroup.
template <typename Parameters>
__device__ __forceinline__ void stamp_end(const Parameters& p) {
  if (threadIdx.x % 128 != 0) return;
  p.rings.ctas[blockIdx.x].ends[threadIdx.x / 128] = {ptx::clock64(), ptx::globaltimer()};
}

}  // namespace fa3prof::kernels::fa3
