// ldmatrix: 8 x 8 matrices of 16-bit elements from shared memory into mma fragments, by one warp.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#warp-level-matrix-instructions-ldmatrix
//
// Lanes 8i .. 8i+7 give the addresses of the 16-byte rows of matrix i; register i of lane l then
// holds elements 2 (l % 4), 2 (l % 4) + 1 of row l / 4 of matrix i (with .trans: of its transpose).
#pragma once

#include <cstdint>

namespace fa3prof::kernels::ptx {

// "memory": other threads' copies write what these read, so they stay between the barriers.
__device__ __forceinline__ void ldmatrix_x4(std::uint32_t (&d)[4], std::uint32_t row_address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
               : "r"(row_address)
               : "memory");
}

__device__ __forceinline__ void ldmatrix_x4_trans(std::uint32_t (&d)[4],
                                                  std::uint32_t row_address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
               : "r"(row_address)
               : "memory");
}

}  // namespace fa3prof::kernels::ptx
