// A warp's keys of a block as one thread holds them: K and V in the fragments that mma.sync takes.
#pragma once

#include "kernels/fa1/rows_in_registers.cuh"
#include "kernels/fa1/storage.cuh"
#include "kernels/ptx/computed_here.cuh"
#include "kernels/ptx/ldmatrix.cuh"
#include "kernels/ptx/mma.cuh"
#include "kernels/ptx/unroll.h"
#include "kernels/tile/swizzled_rows.cuh"

#include <cstdint>

namespace fa3prof::kernels::fa1 {

template <typename Instance>
class KeyBlock {
  static constexpr Config kConfig = Instance::kConfig;

 public:
  static constexpr int kKeys = kConfig.tile_n / kConfig.warps;  // of a warp
  using Tile = RowsInRegisters<kConfig.tile_n, kConfig.head_dim, kConfig.threads()>;

  /// Takes this warp's fragments of K out of shared memory. `keys` is the tile's shared address.
  __device__ __forceinline__ void take_k(std::uint32_t keys, int warp) {
    const std::uint32_t lane = ptx::computed_here(tile::lane_of_keys(keys, threadIdx.x % 32));
    FA3PROF_UNROLL
    for (int column = 0; column < kConfig.head_dim; column += kMmaK) {
      FA3PROF_UNROLL
      for (int key = 0; key < kKeys; key += 16) {
        ptx::ldmatrix_x4(k_[column / kMmaK][key / 16],
                         tile::address<kConfig.tile_n>(lane, warp * kKeys + key, column));
      }
    }
  }

  __device__ __forceinline__ void take_v(std::uint32_t keys, int warp) {
    const std::uint32_t lane = ptx::computed_here(tile::lane_of_rows(keys, threadIdx.x % 32));
    FA3PROF_UNROLL
    for (int key = 0; key < kKeys; key += kMmaK) {
      FA3PROF_UNROLL
      for (int column = 0; column < kConfig.head_dim; column += 16) {
        ptx::ldmatrix_x4_trans(v_[key / kMmaK][column / 16],
                               tile::address<kConfig.tile_n>(lane, warp * kKeys + key, column));
      }
    }
  }

  /// S = Q K^T: 16 rows by this warp's keys. `q` is the shared address of the Q tile.
  __device__ __forceinline__ void multiply_scores(std::uint32_t q,
                                                  float (&scores)[kKeys / 2]) const {
    FA3PROF_UNROLL
    for (int column = 0; column < kConfig.head_dim; column += kMmaK) {
      std::uint32_t a[4];
      ptx::ldmatrix_x4(
          a, tile::address<kConfig.tile_m>(tile::lane_of_rows(q, threadIdx.x % 32), 0, column));
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
