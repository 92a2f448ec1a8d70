// Writes accumulator rows (the layout of WGMMA and mma.sync alike) to global memory in 16-byte
// pieces, without shared memory.
#pragma once

#include "kernels/ptx/convert.cuh"
#include "kernels/ptx/global_store.cuh"
#include "kernels/ptx/unroll.h"

#include <cstdint>

namespace fa3prof::kernels::tile {

/// Exchanges four registers among the four lanes of a quad: lane q ends up with register q of every
/// lane, in lane order (the transpose of a 4 x 4 matrix, by two butterfly steps).
__device__ __forceinline__ void transpose_quad(std::uint32_t (&v)[4]) {
  const int lane = static_cast<int>(threadIdx.x % 4);
  FA3PROF_UNROLL
  for (int step = 1; step <= 2; step *= 2) {
    const bool is_upper = (lane & step) != 0;
    FA3PROF_UNROLL
    for (int i = 0; i < 4; ++i) {
      if ((i & step) != 0) continue;
      // The lower lane gives its register i + step for the upper lane's register i.
      const std::uint32_t sent = is_upper ? v[i] : v[i + step];
      const std::uint32_t received =
          __shfl_xor_sync(0xffffffffU, sent, static_cast<unsigned>(step));
      if (is_upper) {
        v[i] = received;
      } else {
        v[i + step] = received;
      }
    }
  }
}

/// Stores row r (0 or 1) of a [64, kCount * 2] accumulator, times `factor`, as 16-bit elements to
/// `row` where `exists`. All 32 lanes take part.
template <ptx::Element kElement, int kCount>
__device__ __forceinline__ void store_row(const float (&values)[kCount], int r, float factor,
                                          void* row, bool exists) {
  static_assert(kCount % 16 == 0, "four column blocks of eight are stored together");
  const int lane = static_cast<int>(threadIdx.x % 4);
  FA3PROF_UNROLL
  for (int group = 0; group < kCount / 16; ++group) {
    std::uint32_t piece[4];
    FA3PROF_UNROLL
    for (int j = 0; j < 4; ++j) {
      const int i = 4 * (4 * group + j) + 2 * r;
      piece[j] = ptx::pack_pair<kElement>(values[i] * factor, values[i + 1] * factor);
    }
    transpose_quad(piece);
    ptx::store_16_bytes_if(exists, static_cast<uint4*>(row) + 4 * group + lane, piece);
  }
}

}  // namespace fa3prof::kernels::tile
