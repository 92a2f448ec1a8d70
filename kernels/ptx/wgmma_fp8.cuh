// WGMMA of e4m3 elements, D[64, N] += A[64, 32] B[32, N] in float32. There is no transposed form:
// both operands are K-major, and an instruction takes 32 bytes of each row as the 16-bit ones do.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#asynchronous-warpgroup-level-matrix-instructions
//
// A in registers, 32 columns wide (g = lane / 4, q = lane % 4): a0 = (row g; columns 4q .. 4q + 3),
// a1 = (row g + 8; the same), a2, a3 = the same rows, columns 16 + 4q .. 16 + 4q + 3; lowest column
// in the lowest byte. The accumulator is that of every WGMMA, see wgmma.cuh.
#pragma once

#include "kernels/ptx/wgmma.cuh"

#include <cstdint>

namespace fa3prof::kernels::ptx {

/// K-major operand of rows of kRowBytes (32, 64 or 128) with the swizzle of that width, in groups
/// of eight rows `group_stride_bytes` apart. The base is aligned to a group.
template <int kRowBytes>
__device__ __forceinline__ SharedMatrix k_major_matrix(const void* base,
                                                       std::uint32_t group_stride_bytes) {
  static_assert(kRowBytes == 32 || kRowBytes == 64 || kRowBytes == 128);
  constexpr std::uint32_t kSwizzle = kRowBytes == 128 ? 1U : kRowBytes == 64 ? 2U : 3U;
  constexpr std::uint32_t kUnusedStride = 1U << 16;
  const std::uint32_t address = (shared_address(base) & 0x3FFFFU) >> 4;
  return {address | kUnusedStride, (group_stride_bytes >> 4) | kSwizzle << 30};
}

#define FA3PROF_REGS_48 FA3PROF_REGS_40 ",%40,%41,%42,%43,%44,%45,%46,%47"
#define FA3PROF_REGS_56 FA3PROF_REGS_48 ",%48,%49,%50,%51,%52,%53,%54,%55"
#define FA3PROF_REGS_80 \
  FA3PROF_REGS_64 ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79"
#define FA3PROF_REGS_112 \
  FA3PROF_REGS_96        \
  ",%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111"
#define FA3PROF_ACC_OF_48(d) FA3PROF_ACC_OF_40(d), FA3PROF_ACC_8(d, 40)
#define FA3PROF_ACC_OF_56(d) FA3PROF_ACC_OF_48(d), FA3PROF_ACC_8(d, 48)
#define FA3PROF_ACC_OF_80(d) FA3PROF_ACC_OF_64(d), FA3PROF_ACC_8(d, 64), FA3PROF_ACC_8(d, 72)
#define FA3PROF_ACC_OF_112(d) FA3PROF_ACC_OF_96(d), FA3PROF_ACC_8(d, 96), FA3PROF_ACC_8(d, 104)

/// m64nNk32. `ss`: both operands in shared memory; `rs`: A in registers.
template <int kN>
struct WgmmaE4m3;

// A0 .. A5 are the numbers of the operands after the accumulators.
#define FA3PROF_WGMMA_E4M3(N, COUNT, A0, A1, A2, A3, A4, A5)                                     \
  template <>                                                                                    \
  struct WgmmaE4m3<N> {                                                                          \
    static __device__ __forceinline__ void ss(float (&d)[COUNT], SharedMatrix a, SharedMatrix b, \
                                              bool accumulate) {                                 \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" A2                                       \
                   ", 0;\n"                                                                      \
                   "wgmma.mma_async.sync.aligned.m64n" #N                                        \
                   "k32.f32.e4m3.e4m3 "                                                          \
                   "{" FA3PROF_REGS_##COUNT "}, %" A0 ", %" A1 ", p, 1, 1;\n}"                   \
                   : FA3PROF_ACC_OF_##COUNT(d)                                                   \
                   : "l"(a.bits()), "l"(b.bits()), "r"(static_cast<int>(accumulate)));           \
    }                                                                                            \
    static __device__ __forceinline__ void rs(float (&d)[COUNT], const std::uint32_t* a,         \
                                              SharedMatrix b, bool accumulate) {                 \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" A5                                       \
                   ", 0;\n"                                                                      \
                   "wgmma.mma_async.sync.aligned.m64n" #N                                        \
                   "k32.f32.e4m3.e4m3 "                                                          \
                   "{" FA3PROF_REGS_##COUNT "}, {%" A0 ", %" A1 ", %" A2 ", %" A3 "}, %" A4      \
                                            ", p, 1, 1;\n}"                                      \
                   : FA3PROF_ACC_OF_##COUNT(d)                                                   \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b.bits()),                  \
                     "r"(static_cast<int>(accumulate)));                                         \
    }                                                                                            \
  }

FA3PROF_WGMMA_E4M3(64, 32, "32", "33", "34", "35", "36", "37");
FA3PROF_WGMMA_E4M3(96, 48, "48", "49", "50", "51", "52", "53");
FA3PROF_WGMMA_E4M3(112, 56, "56", "57", "58", "59", "60", "61");
FA3PROF_WGMMA_E4M3(128, 64, "64", "65", "66", "67", "68", "69");
FA3PROF_WGMMA_E4M3(160, 80, "80", "81", "82", "83", "84", "85");
FA3PROF_WGMMA_E4M3(192, 96, "96", "97", "98", "99", "100", "101");
FA3PROF_WGMMA_E4M3(224, 112, "112", "113", "114", "115", "116", "117");
FA3PROF_WGMMA_E4M3(256, 128, "128", "129", "130", "131", "132", "133");

#undef FA3PROF_WGMMA_E4M3

/// m64n(kN + 8)k32, A in registers: D of the last eight columns of B is an array of its own.
template <int kN>
struct WgmmaE4m3Wider;

#define FA3PROF_REGS_36 FA3PROF_REGS_32 ",%32,%33,%34,%35"
#define FA3PROF_REGS_68 FA3PROF_REGS_64 ",%64,%65,%66,%67"

#define FA3PROF_WGMMA_E4M3_WIDER(N, WIDER, COUNT, REGISTERS, A0, A1, A2, A3, A4, A5)            \
  template <>                                                                                   \
  struct WgmmaE4m3Wider<N> {                                                                    \
    static __device__ __forceinline__ void rs(float (&d)[COUNT], float (&last)[4],              \
                                              const std::uint32_t* a, SharedMatrix b,           \
                                              bool accumulate) {                                \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" A5                                      \
                   ", 0;\n"                                                                     \
                   "wgmma.mma_async.sync.aligned.m64n" #WIDER                                   \
                   "k32.f32.e4m3.e4m3 "                                                         \
                   "{" FA3PROF_REGS_##REGISTERS "}, {%" A0 ", %" A1 ", %" A2 ", %" A3 "}, %" A4 \
                                                ", p, 1, 1;\n}"                                 \
                   : FA3PROF_ACC_OF_##COUNT(d), "+f"(last[0]), "+f"(last[1]), "+f"(last[2]),    \
                     "+f"(last[3])                                                              \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b.bits()),                 \
                     "r"(static_cast<int>(accumulate)));                                        \
    }                                                                                           \
  }

FA3PROF_WGMMA_E4M3_WIDER(64, 72, 32, 36, "36", "37", "38", "39", "40", "41");
FA3PROF_WGMMA_E4M3_WIDER(128, 136, 64, 68, "68", "69", "70", "71", "72", "73");

#undef FA3PROF_WGMMA_E4M3_WIDER

}  // namespace fa3prof::kernels::ptx
