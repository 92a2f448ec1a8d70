// Rows of Q, K or V on their way from global to swizzled shared memory by cp.async.
#pragma once

#include "kernels/fa2/storage.cuh"
#include "kernels/ptx/cp_async.cuh"
#include "kernels/ptx/unroll.h"

#include <cstdint>

namespace fa3prof::kernels::fa2 {

using Source = const Bits*;

/// Starts the copy of kRows rows by all threads of the CTA to the shared address `shared`; eight
/// threads bring the 128 bytes of a row. `from` is this thread's chunk of its first row. kMayEnd:
/// rows from `rows` on, which are not read, become zeros.
template <typename Instance, bool kMayEnd, int kRows>
__device__ __forceinline__ void copy_rows(std::uint32_t shared, Source from, std::int64_t stride,
                                          int rows) {
  constexpr int kRowsAtOnce = Instance::kConfig.threads() / 8;
  const int thread_row = static_cast<int>(threadIdx.x) / 8;
  const int chunk = (static_cast<int>(threadIdx.x) % 8) ^ (thread_row % 8);
  const std::uint32_t to = shared + thread_row * kRowBytes + chunk * 16;
  FA3PROF_UNROLL
  for (int step = 0; step < kRows; step += kRowsAtOnce) {
    FA3PROF_UNROLL
    for (int column = 0; column < Instance::kConfig.head_dim; column += kBlockColumns) {
      const std::uint32_t at = to + (column / kBlockColumns * kRows + step) * kRowBytes;
      if constexpr (kMayEnd) {
        ptx::cp_async_cg_zfill(at, from + column, thread_row + step < rows);
      } else {
        ptx::cp_async_cg(at, from + column);
      }
    }
    from += kRowsAtOnce * stride;
  }
}

}  // namespace fa3prof::kernels::fa2
