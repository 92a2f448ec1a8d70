// Rows of a tile on their way from global memory through registers to shared memory: two ordinary
// instructions, as before cp.async.
#pragma once

#include "kernels/fa1/storage.cuh"
#include "kernels/ptx/unroll.h"

#include <cstdint>

namespace fa3prof::kernels::fa1 {

/// kRows rows of kColumns elements, spread over kThreads threads. In shared memory they lie as
/// [kColumns / 64][kRows][64], the 16-byte chunk c of a row at c ^ (row & 7).
template <int kRows, int kColumns, int kThreads>
class RowsInRegisters {
 public:
  /// Loads from a [seqlen, kColumns] slice that begins at `from`; rows from `rows` on, which are
  /// not read, become zeros. Neighbouring threads read neighbouring chunks.
  __device__ __forceinline__ void fetch(const Element* from, std::int64_t stride, int rows) {
    from += first_row() * stride + chunk() * kChunkElements;
    rows -= first_row();
    FA3PROF_UNROLL
    for (int i = 0; i < kCount; ++i) {
      chunks_[i] = i * kRowsAtOnce < rows ? *reinterpret_cast<const uint4*>(from) : uint4{};
      from += kRowsAtOnce * stride;
    }
  }

  __device__ __forceinline__ void place(Element* shared) const {
    const int at =
        (chunk() / 8 * kRows + first_row()) * kRowBytes + (chunk() ^ first_row()) % 8 * 16;
    unsigned char* const to = reinterpret_cast<unsigned char*>(shared) + at;
    FA3PROF_UNROLL
    for (int i = 0; i < kCount; ++i) {
      *reinterpret_cast<uint4*>(to + i * kRowsAtOnce * kRowBytes) = chunks_[i];
    }
  }

 private:
  static constexpr int kChunksOfRow = kColumns / kChunkElements;
  static constexpr int kRowsAtOnce = kThreads / kChunksOfRow;
  static constexpr int kCount = kRows / kRowsAtOnce;
  static_assert(kRows % kRowsAtOnce == 0, "every thread brings as much");
  static_assert(kRowsAtOnce % 8 == 0, "all of a thread's rows have the same swizzle");

  static __device__ __forceinline__ int first_row() {
    return static_cast<int>(threadIdx.x) / kChunksOfRow;
  }

  static __device__ __forceinline__ int chunk() {
    return static_cast<int>(threadIdx.x) % kChunksOfRow;
  }

  uint4 chunks_[kCount];
};

}  // namespace fa3prof::kernels::fa1
