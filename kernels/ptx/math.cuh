// Scalar instructions that C++ cannot name.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#floating-point-instructions
#pragma once

namespace fa3prof::kernels::ptx {

/// 2^x on the MUFU unit, 2 ulp; denormal results flush to zero, 2^-inf is 0.
__device__ __forceinline__ float ex2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/// The larger one; NaN if either is.
__device__ __forceinline__ float max_nan(float a, float b) {
  float larger;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(a), "f"(b));
  return larger;
}

}  // namespace fa3prof::kernels::ptx
