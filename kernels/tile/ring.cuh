// Position in a ring of shared-memory buffers guarded by full and empty mbarriers.
#pragma once

namespace fa3prof::kernels::tile {

/// Stage and the parity of its barriers' current phase; the parity flips each time round.
template <int kStages>
struct RingPosition {
  int stage = 0;
  unsigned parity = 0;

  __device__ __forceinline__ void advance() {
    if (++stage == kStages) {
      stage = 0;
      parity ^= 1U;
    }
  }
};

}  // namespace fa3prof::kernels::tile
