// mma.sync: matrix multiply-accumulate by one warp, D[16, 8] += A[16, 16] B[16, 8].
// https://docs.nvidia.com/cuda/parallel-thread-execution/#warp-level-matrix-fragment-mma-16816-float
//
// Lane l, g = l / 4, q = l % 4. D: d[e] = (row g + 8 (e >> 1), column 2q + (e & 1)).
// A: a[0] = (row g; columns 2q, 2q+1), a[1] = (row g + 8; the same), a[2], a[3] = the same rows,
// columns 2q+8, 2q+9. B: b0 = (rows 2q, 2q+1; column g), b1 = (rows 2q+8, 2q+9; column g).
// The lower index is in the lower half of a register.
#pragma once

#include "kernels/ptx/element.h"

#include <cstdint>

namespace fa3prof::kernels::ptx {

constexpr int kMmaM = 16;  // rows of A
constexpr int kMmaK = 16;  // columns of A

/// Accumulates in float32 into d[0 .. 3]; A and B have elements of kElement.
template <Element kElement>
__device__ __forceinline__ void mma_m16n8k16(float* d, const std::uint32_t (&a)[4],
                                             std::uint32_t b0, std::uint32_t b1) {
  if constexpr (kElement == Element::kF16) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  } else {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  }
}

}  // namespace fa3prof::kernels::ptx
