// A warp's keys of a block as one thread holds them: K and V in the fragments that mma.sync takes.
#pragma once

#include "kernels/fa1/rows_in_registers.cuh"
#include "kernels/fa1/storage.cuh"
#include "kernels/ptx/computed_here.cuh"
#include "kernels/ptx/ldmatrix.cuh"
#include "kernels/ptx/mma.cuh"
#include "kernels/ptx/unroll.h"

#include <cstdint>

namespace fa3prof::kernels::fa1 {

/// Address of (row, column), multiples of 16, in a tile of kRows rows as RowsInRegisters places it,
/// seen from `lane`, the address of (0, 0) for this lane.
template <int kRows>
__device__ __forceinline__ std::uint32_t address(std::uint32_t lane, int row, int column) {
  const int block = column / kBlockColumns;
  const int chunk = column % kBlockColumns / kChunkElements;
  return (lane ^ static_cast<std::uint32_t>(chunk * 16)) +
         static_cast<std::uint32_t>((block * kRows + row) * kRowBytes);
}

/// This lane's ldmatrix offset in 16 x 16 elements. Matrices 0 to 3, for Q and V: upper left, lower
/// left, upper right, lower right.
__device__ __forceinline__ std::uint32_t lane_of_rows() {
  const unsigned lane = threadIdx.x % 32;
  return lane % 16 * kRowBytes + ((lane / 16) ^ (lane % 8)) * 16;
}

/// For K the middle two change places: both registers of a B fragment are then neighbours.
__device__ __forceinline__ std::uint32_t lane_of_keys() {
  const unsigned lane = threadIdx.x % 32;
  return (lane / 16 * 8 + lane % 8) * kRowBytes + ((lane / 8 % 2) ^ (lane % 8)) * 16;
}

template <typename Instance>
class KeyBlock {
  static constexpr Config kConfig = Instance::kConfig;

 public:
  static constexpr int kKeys = kConfig.tile_n / kConfig.warps;  // of a warp
  using Tile = RowsInRegisters<kConfig.tile_n, kConfig.head_dim, kConfig.threads()>;

  /// Takes this warp's fragments of K out of shared memory. `keys` is the tile's shared address.
  __device__ __forceinline__ void take_k(std::uint32_t keys, int warp) {
    const std::uint32_t lane = ptx::computed_here(keys + lane_of_keys());
    FA3PROF_UNROLL
    for (int column = 0; column < kConfig.head_dim; column += kMmaK) {
      FA3PROF_UNROLL
      for (int key = 0; key < kKeys; key += 16) {
        ptx::ldmatrix_x4(k_[column / kMmaK][key / 16],
                         address<kConfig.tile_n>(lane, warp * kKeys + key, column));
      }
    }
  }

  __device__ __forceinline__ void take_v(std::uint32_t keys, int warp) {
    const std::uint32_t lane = ptx::computed_here(keys + lane_of_rows());
    FA3PROF_UNROLL
    for (int key = 0; key < kKeys; key += kMmaK) {
      FA3PROF_UNROLL
      for (int column = 0; column < kConfig.head_dim; column += 16) {
        ptx::ldmatrix_x4_trans(v_[key / kMmaK][column / 16],
                               address<kConfig.tile_n>(lane, warp * kKeys + key, column));
      }
    }
  }

  /// S = Q K^T: 16 rows by this warp's keys. `q` is the shared address of the Q tile.
  __device__ __forceinline__ void multiply_scores(std::uint32_t q,
                                                  float (&scores)[kKeys / 2]) const {
    FA3PROF_UNROLL
    for (int column = 0; column < kConfig.head_dim; column += kMmaK) {
      std::uint32_t a[4];
      ptx::ldmatrix_x4(a, address<kConfig.tile_m>(q + lane_of_rows(), 0, column));
      FA3PROF_UNROLL
      for (int key = 0; key < kKeys; key += 16) {
        multiply(&scores[key / 2], a, k_[column / kMmaK][key / 16]);
      }
    }
  }

  /// P V over this warp's keys, for the columns of O from `first_column` on.
  template <int kCount>
  __device__ __forceinline__ void multiply_output(
      const std::uint32_t (&probabilities)[kKeys / kMmaK][4], int first_column,
      float (&output)[kCount]) const {
    FA3PROF_UNROLL
    for (int key = 0; key < kKeys; key += kMmaK) {
      FA3PROF_UNROLL
      for (int i = 0; i < kCount; i += 8) {
        multiply(&output[i], probabilities[key / kMmaK],
                 v_[key / kMmaK][(first_column + 2 * i) / 16]);
      }
    }
  }

 private:
  /// The accumulators of 16 columns += A times one B fragment of 16 x 16.
  static __device__ __forceinline__ void multiply(float* d, const std::uint32_t (&a)[4],
                                                  const std::uint32_t (&b)[4]) {
    ptx::mma_m16n8k16<ptx::Element::kF16>(d, a, b[0], b[1]);
    ptx::mma_m16n8k16<ptx::Element::kF16>(d + 4, a, b[2], b[3]);
  }

  std::uint32_t k_[kConfig.head_dim / kMmaK][kKeys / 16][4];
  std::uint32_t v_[kKeys / kMmaK][kConfig.head_dim / 16][4];
};

}  // namespace fa3prof::kernels::fa1
