// WGMMA of e4m3 elements, D[64, N] += A[64, 32] B[32, N] in float32; both operands K-major in
// shared memory, where an instruction takes 32 bytes of each row as the 16-bit ones do.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#asynchronous-warpgroup-level-matrix-instructions
#pragma once

#include "kernels/ptx/wgmma.cuh"

#include <cstdint>

namespace fa3prof::kernels::ptx {

/// m64nNk32, accumulating.
template <int kN>
struct WgmmaE4m3;

// A and B are the numbers of the operands after the accumulators.
#define FA3PROF_WGMMA_E4M3(N, COUNT, A, B)                                                         \
  template <>                                                                                      \
  struct WgmmaE4m3<N> {                                                                            \
    static __device__ __forceinline__ void ss(float (&d)[COUNT], SharedMatrix a, SharedMatrix b) { \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\nwgmma.mma_async.sync.aligned.m64n" #N  \
                   "k32.f32.e4m3.e4m3 "                                                            \
                   "{" FA3PROF_REGS_##COUNT "}, %" A ", %" B ", p, 1, 1;\n}"                       \
                   : FA3PROF_ACC_OF_##COUNT(d)                                                     \
                   : "l"(a.bits()), "l"(b.bits()));                                                \
    }                                                                                              \
  }

FA3PROF_WGMMA_E4M3(64, 32, "32", "33");
FA3PROF_WGMMA_E4M3(128, 64, "64", "65");
FA3PROF_WGMMA_E4M3(256, 128, "128", "129");

#undef FA3PROF_WGMMA_E4M3

}  // namespace fa3prof::kernels::ptx
