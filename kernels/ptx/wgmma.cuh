// WGMMA: asynchronous matrix multiply-accumulate by a warpgroup, D[64, N] += A[64, 16] B[16, N].
// https://docs.nvidia.com/cuda/parallel-thread-execution/#asynchronous-warpgroup-level-matrix-instructions
//
// Accumulator layout, any N: thread t of the warpgroup (w = t / 32, g = t % 32 / 4, q = t % 4)
// holds d[4 j + e] = element (row 16 w + g + 8 (e >> 1), column 8 j + 2 q + (e & 1)), j = 0 .. N /
// 8 - 1. A in registers, 16 columns wide: a0 = (row g; columns 2q, 2q+1), a1 = (row g + 8; the
// same), a2, a3 = the same rows, columns 2q + 8, 2q + 9; lower column in the lower half.
#pragma once

#include "kernels/ptx/element.h"
#include "kernels/ptx/mbarrier.cuh"

#include <cstdint>

namespace fa3prof::kernels::ptx {

/// Shared-memory matrix descriptor for 128-byte swizzled tiles whose base is 1024-byte aligned.
/// Halves are kept apart: advancing through a tile only ever changes the lower one.
struct SharedMatrix {
  std::uint32_t lower;
  std::uint32_t upper;

  /// The same matrix `bytes` (a multiple of 16) further on.
  [[nodiscard]] __device__ __forceinline__ SharedMatrix advanced(std::uint32_t bytes) const {
    return {lower + (bytes >> 4), upper};
  }

  [[nodiscard]] __device__ __forceinline__ std::uint64_t bits() const {
    return (static_cast<std::uint64_t>(upper) << 32) | lower;
  }
};

/// Operand of [rows][64 elements] column blocks. K-major (row = M or N index, columns along K):
/// `block_stride_bytes` is ignored by the hardware. MN-major (row = K index): it is the distance
/// between column blocks.
__device__ __forceinline__ SharedMatrix shared_matrix(const void* base,
                                                      std::uint32_t block_stride_bytes) {
  constexpr std::uint32_t kRowGroupBytes = 1024;   // eight rows of 128 bytes
  constexpr std::uint32_t kSwizzle128 = 1U << 30;  // bits 62-63 of the descriptor
  const std::uint32_t address = (shared_address(base) & 0x3FFFFU) >> 4;
  return {address | ((block_stride_bytes >> 4) << 16), (kRowGroupBytes >> 4) | kSwizzle128};
}

/// Orders earlier register writes before the next WGMMA that reads or accumulates into them.
__device__ __forceinline__ void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

/// Closes the batch of WGMMAs issued so far.
__device__ __forceinline__ void wgmma_commit_group() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/// Waits until at most kPending of the newest batches are still running.
template <int kPending>
__device__ __forceinline__ void wgmma_wait_group() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}

/// m64nNk16, float32 += element * element. `a` K-major. In `ss` both operands are in shared memory
/// and B is K-major; in `rs` A is in registers and B is MN-major.
template <int kN, Element kElement>
struct Wgmma;

// Inline PTX names its operands by number only, so the lists of accumulators are spelled out, eight
// at a time, and the operands after them are numbered per shape.
#define FA3PROF_REGS_32                                                                            \
  "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25," \
  "%26,%27,%28,%29,%30,%31"
#define FA3PROF_REGS_40 FA3PROF_REGS_32 ",%32,%33,%34,%35,%36,%37,%38,%39"
#define FA3PROF_REGS_64                                                                        \
  FA3PROF_REGS_40                                                                              \
  ",%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%" \
  "62,%63"
#define FA3PROF_REGS_96                                                                        \
  FA3PROF_REGS_64                                                                              \
  ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,%" \
  "86,%87,%88,%89,%90,%91,%92,%93,%94,%95"
#define FA3PROF_REGS_128                                                                     \
  FA3PROF_REGS_96                                                                            \
  ",%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,%112,%113,%" \
  "114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127"

#define FA3PROF_ACC_8(d, i)                                                                   \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
      "+f"(d[i + 6]), "+f"(d[i + 7])
#define FA3PROF_ACC_32(d, i) \
  FA3PROF_ACC_8(d, i), FA3PROF_ACC_8(d, i + 8), FA3PROF_ACC_8(d, i + 16), FA3PROF_ACC_8(d, i + 24)
#define FA3PROF_ACC_OF_32(d) FA3PROF_ACC_32(d, 0)
#define FA3PROF_ACC_OF_40(d) FA3PROF_ACC_OF_32(d), FA3PROF_ACC_8(d, 32)
#define FA3PROF_ACC_OF_64(d) FA3PROF_ACC_OF_32(d), FA3PROF_ACC_32(d, 32)
#define FA3PROF_ACC_OF_96(d) FA3PROF_ACC_OF_64(d), FA3PROF_ACC_32(d, 64)
#define FA3PROF_ACC_OF_128(d) FA3PROF_ACC_OF_96(d), FA3PROF_ACC_32(d, 96)

// A0 .. A5 are the numbers of the operands after the accumulators.
#define FA3PROF_WGMMA_TYPED(N, COUNT, ELEMENT, TYPE, A0, A1, A2, A3, A4, A5)                     \
  template <>                                                                                    \
  struct Wgmma<N, ELEMENT> {                                                                     \
    static __device__ __forceinline__ void ss(float (&d)[COUNT], SharedMatrix a, SharedMatrix b, \
                                              bool accumulate) {                                 \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" A2                                       \
                   ", 0;\n"                                                                      \
                   "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." TYPE "." TYPE               \
                   " "                                                                           \
                   "{" FA3PROF_REGS_##COUNT "}, %" A0 ", %" A1 ", p, 1, 1, 0, 0;\n}"             \
                   : FA3PROF_ACC_OF_##COUNT(d)                                                   \
                   : "l"(a.bits()), "l"(b.bits()), "r"(static_cast<int>(accumulate)));           \
    }                                                                                            \
    static __device__ __forceinline__ void rs(float (&d)[COUNT], const std::uint32_t* a,         \
                                              SharedMatrix b, bool accumulate) {                 \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" A5                                       \
                   ", 0;\n"                                                                      \
                   "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." TYPE "." TYPE               \
                   " "                                                                           \
                   "{" FA3PROF_REGS_##COUNT "}, {%" A0 ", %" A1 ", %" A2 ", %" A3 "}, %" A4      \
                                            ", p, 1, 1, 1;\n}"                                   \
                   : FA3PROF_ACC_OF_##COUNT(d)                                                   \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b.bits()),                  \
                     "r"(static_cast<int>(accumulate)));                                         \
    }                                                                                            \
  }
#define FA3PROF_WGMMA(N, COUNT, A0, A1, A2, A3, A4, A5)                        \
  FA3PROF_WGMMA_TYPED(N, COUNT, Element::kF16, "f16", A0, A1, A2, A3, A4, A5); \
  FA3PROF_WGMMA_TYPED(N, COUNT, Element::kBf16, "bf16", A0, A1, A2, A3, A4, A5)

FA3PROF_WGMMA(64, 32, "32", "33", "34", "35", "36", "37");
FA3PROF_WGMMA(80, 40, "40", "41", "42", "43", "44", "45");
FA3PROF_WGMMA(128, 64, "64", "65", "66", "67", "68", "69");
FA3PROF_WGMMA(192, 96, "96", "97", "98", "99", "100", "101");
FA3PROF_WGMMA(256, 128, "128", "129", "130", "131", "132", "133");

#undef FA3PROF_WGMMA
#undef FA3PROF_WGMMA_TYPED

}  // namespace fa3prof::kernels::ptx
