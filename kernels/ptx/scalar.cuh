// Single arithmetic instructions that the compiler may neither drop nor fold, for microbenchmarks.
// Kernels write plain C++ instead.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#floating-point-instructions
#pragma once

#include <cstdint>

namespace fa3prof::kernels::ptx {

/// x = x a + b.
__device__ __forceinline__ void ffma(float& x, float a, float b) {
  asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(a), "f"(b));
}

__device__ __forceinline__ void fadd(float& x, float a) {
  asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(x) : "f"(a));
}

__device__ __forceinline__ void fmul(float& x, float a) {
  asm volatile("mul.rn.f32 %0, %0, %1;" : "+f"(x) : "f"(a));
}

__device__ __forceinline__ void fmnmx(float& x, float a) {
  asm volatile("max.f32 %0, %0, %1;" : "+f"(x) : "f"(a));
}

/// x = 2^x on the MUFU unit.
__device__ __forceinline__ void mufu_ex2(float& x) {
  asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));
}

/// x = the bits of the pair (x, a) rounded to float16.
__device__ __forceinline__ void f2fp_f16x2(float& x, float a) {
  asm volatile(
      "{\n"
      ".reg .b32 pair;\n"
      "cvt.rn.f16x2.f32 pair, %1, %0;\n"
      "mov.b32 %0, pair;\n"
      "}"
      : "+f"(x)
      : "f"(a));
}

/// x = the bits of (x, a, a, x) rounded to e4m3: two instructions, the second merges.
__device__ __forceinline__ void f2fp_e4m3x4(float& x, float a) {
  asm volatile(
      "{\n"
      ".reg .b16 lower, upper;\n"
      "cvt.rn.satfinite.e4m3x2.f32 lower, %1, %0;\n"
      "cvt.rn.satfinite.e4m3x2.f32 upper, %0, %1;\n"
      "mov.b32 %0, {lower, upper};\n"
      "}"
      : "+f"(x)
      : "f"(a));
}

/// x = the value of x in the lane that differs in bit 0.
__device__ __forceinline__ void shfl_xor_1(float& x) {
  asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 0x1f, 0xffffffff;" : "+f"(x));
}

/// x = x > a ? b : x, a compare and a select.
__device__ __forceinline__ void compare_select(float& x, float a, float b) {
  asm volatile(
      "{\n"
      ".reg .pred above;\n"
      "setp.gt.f32 above, %0, %1;\n"
      "selp.f32 %0, %2, %0, above;\n"
      "}"
      : "+f"(x)
      : "f"(a), "f"(b));
}

}  // namespace fa3prof::kernels::ptx
