// WGMMAs on random tiles in shared memory, as one warpgroup issues them back to back. FP16 values
// lie in +-[0.5, 1), so that multipliers toggle as on real data and nothing becomes infinite.
#pragma once

#include "kernels/ptx/pin_registers.cuh"
#include "kernels/ptx/proxy.cuh"
#include "kernels/ptx/unroll.h"
#include "kernels/ptx/wgmma.cuh"
#include "kernels/ptx/wgmma_fp8.cuh"

#include <cstddef>
#include <cstdint>

namespace fa3prof::kernels::microbench {

inline constexpr int kTileColumns = 64;  // 128 bytes: four steps of 32 bytes
inline constexpr int kMaxN = 256;
inline constexpr int kMaxWarpgroups = 3;

/// Shared memory of a kernel that multiplies: B of all, A of each warpgroup.
struct OperandStorage {
  alignas(1024) std::uint32_t b[kMaxN * kTileColumns / 2];
  alignas(1024) std::uint32_t a[kMaxWarpgroups][64 * kTileColumns / 2];
};

/// What one warpgroup multiplies.
struct Operands {
  ptx::SharedMatrix a;
  ptx::SharedMatrix b;
  std::uint32_t a_registers[4];
};

/// Two halves from a well-mixed hash; no byte of them is a NaN as e4m3.
__device__ __forceinline__ std::uint32_t random_halves(std::uint32_t index) {
  std::uint32_t bits = index * 0x9E3779B9U;
  bits = (bits ^ (bits >> 16)) * 0x85EBCA6BU;
  bits ^= bits >> 13;
  return (bits & 0x83EF83EFU) | 0x38003800U;
}

/// Fills the storage and gives this thread's warpgroup its operands. All threads of the CTA.
__device__ __forceinline__ Operands fill_operands(OperandStorage& storage, int warpgroup) {
  constexpr unsigned kWords = sizeof(OperandStorage) / sizeof(std::uint32_t);
  auto* words = reinterpret_cast<std::uint32_t*>(&storage);
  for (unsigned i = threadIdx.x; i < kWords; i += blockDim.x) words[i] = random_halves(i);
  ptx::fence_proxy_async();
  __syncthreads();
  Operands operands{ptx::shared_matrix(storage.a[warpgroup], 0),
                    ptx::shared_matrix(storage.b, kTileColumns * 128),
                    {}};
  FA3PROF_UNROLL
  for (int i = 0; i < 4; ++i) {
    operands.a_registers[i] = random_halves(threadIdx.x * 4U + static_cast<unsigned>(i));
  }
  return operands;
}

/// m64nNk16 of FP16, A and B from shared memory, as S = Q K^T.
template <int kColumns>
struct SharedA {
  static constexpr int kN = kColumns;

  static __device__ __forceinline__ void issue(float (&d)[kN / 2], const Operands& at, int step) {
    const auto bytes = static_cast<std::uint32_t>(step % 4 * 32);
    ptx::Wgmma<kN, ptx::Element::kF16>::ss(d, at.a.advanced(bytes), at.b.advanced(bytes), true);
  }
};

/// m64nNk16 of FP16, A from registers and B MN-major, as O += P V.
template <int kColumns>
struct RegisterA {
  static constexpr int kN = kColumns;

  static __device__ __forceinline__ void issue(float (&d)[kN / 2], const Operands& at, int step) {
    const auto bytes = static_cast<std::uint32_t>(step % 4 * 16 * 128);
    ptx::Wgmma<kN, ptx::Element::kF16>::rs(d, at.a_registers, at.b.advanced(bytes), true);
  }
};

/// m64nNk32 of e4m3, A and B from shared memory.
template <int kColumns>
struct Fp8SharedA {
  static constexpr int kN = kColumns;

  static __device__ __forceinline__ void issue(float (&d)[kN / 2], const Operands& at, int step) {
    const auto bytes = static_cast<std::uint32_t>(step % 4 * 32);
    ptx::WgmmaE4m3<kN>::ss(d, at.a.advanced(bytes), at.b.advanced(bytes), true);
  }
};

/// m64nNk32 of e4m3, A from registers.
template <int kColumns>
struct Fp8RegisterA {
  static constexpr int kN = kColumns;

  static __device__ __forceinline__ void issue(float (&d)[kN / 2], const Operands& at, int step) {
    const auto bytes = static_cast<std::uint32_t>(step % 4 * 32);
    ptx::WgmmaE4m3<kN>::rs(d, at.a_registers, at.b.advanced(bytes), true);
  }
};

inline constexpr int kGroupInstructions = 8;

/// `groups` groups of kGroupInstructions, one group ahead of the one waited for; ends when all are
/// done. One warpgroup.
template <typename Instruction>
__device__ __forceinline__ void multiply(float (&d)[Instruction::kN / 2], const Operands& at,
                                         int groups) {
  for (int group = 0; group < groups; ++group) {
    ptx::wgmma_fence();
    FA3PROF_UNROLL
    for (int step = 0; step < kGroupInstructions; ++step) Instruction::issue(d, at, step);
    ptx::wgmma_commit_group();
    ptx::wgmma_wait_group<1>();
  }
  ptx::wgmma_wait_group<0>();
  ptx::pin_registers(d);
}

template <int kCount>
__device__ __forceinline__ float sum_of(const float (&values)[kCount]) {
  float sum = 0.0F;
  FA3PROF_UNROLL
  for (int i = 0; i < kCount; ++i) sum += values[i];
  return sum;
}

}  // namespace fa3prof::kernels::microbench
