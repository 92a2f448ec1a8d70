// Scalar instructions that C++ cannot name.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#floating-point-instructions-ex2
#pragma once

namespace fa3prof::kernels::ptx {

/// 2^x on the MUFU unit, 2 ulp; denormal results flush to zero, 2^-inf is 0.
__device__ __forceinline__ float ex2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

}  // namespace fa3prof::kernels::ptx
