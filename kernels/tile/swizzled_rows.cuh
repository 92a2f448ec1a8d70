// 16-bit tiles in shared memory as ldmatrix reads them: [columns / 64][rows][64] elements, rows of
// 128 bytes whose 16-byte chunk c is stored at c ^ (row & 7). No bank conflicts, neither for copies
// of whole rows nor for ldmatrix.
#pragma once

#include <cstdint>

namespace fa3prof::kernels::tile {

constexpr int kBlockColumns = 64;  // columns of a block: 128-byte rows
constexpr int kRowBytes = 128;
constexpr int kChunkElements = 8;  // 16 bytes: the unit of copies and of the swizzle

/// Address for ldmatrix of 16 x 16 elements at (0, 0) of the tile at the shared address `tile`, as
/// this lane gives it. Matrices 0 to 3, for Q and V: upper left, lower left, upper right, lower
/// right. Lane: the kernel's own type of lane numbers, int or unsigned, on which it depends what
/// ptxas makes of addresses.
template <typename Lane>
__device__ __forceinline__ std::uint32_t lane_of_rows(std::uint32_t tile, Lane lane) {
  return tile + lane % 16 * kRowBytes + ((lane / 16) ^ (lane % 8)) * 16;
}

/// For K the middle two change places: both registers of a B fragment are then neighbours.
template <typename Lane>
__device__ __forceinline__ std::uint32_t lane_of_keys(std::uint32_t tile, Lane lane) {
  return tile + (lane / 16 * 8 + lane % 8) * kRowBytes + ((lane / 8 % 2) ^ (lane % 8)) * 16;
}

/// Address of (row, column), multiples of 16, in a tile of kRows rows, seen from `lane`: the
/// address of (0, 0) for this lane.
template <int kRows>
__device__ __forceinline__ std::uint32_t address(std::uint32_t lane, int row, int column) {
  const int block = column / kBlockColumns;
  const int chunk = column % kBlockColumns / kChunkElements;
  return (lane ^ static_cast<std::uint32_t>(chunk * 16)) +
         static_cast<std::uint32_t>((block * kRows + row) * kRowBytes);
}

}  // namespace fa3prof::kernels::tile
