// How quantised Q, K and V lie in memory: as shared memory will hold them, so that a block of rows
// or keys is one contiguous copy. Plain C++: the quantising kernels write by these maps, the
// attention kernel reads by them, and a host test holds both to what WGMMA multiplies.
#pragma once

#include <cstdint>

namespace fa3prof::kernels::quantize {

/// Rows that share one scale of Q. Those of K and V are the key blocks of the attention kernel.
inline constexpr int kQueryScaleRows = 128;

/// Channels of ones that may follow those of V, so that P V brings the sums of P along: as few as
/// the columns of WGMMA come in.
inline constexpr int kSumChannels = 8;

/// What the attention kernel takes at a time: memory is padded to whole ones.
struct Tiles {
  int query_rows = 0;
  int keys = 0;            ///< also what shares a factor of K and one of V
  int value_channels = 0;  ///< head_dim, or kSumChannels more
};

/// Bytes of the rows that a swizzle pattern of WGMMA spans: 128, 64 or 32.
[[nodiscard]] constexpr int swizzle_bytes(int row_bytes) {
  return row_bytes % 128 == 0 ? 128 : row_bytes % 64 == 0 ? 64 : 32;
}

/// `value` rounded up to a multiple of `unit`.
[[nodiscard]] constexpr std::int64_t padded(std::int64_t value, int unit) {
  return (value + unit - 1) / unit * unit;
}

/// 16-byte piece `piece` of row `row` within a pattern of eight rows of `width` bytes.
[[nodiscard]] constexpr int swizzled_piece(int piece, int row, int width) {
  return piece ^ (((row % 8 * width) >> 7) & (width / 16 - 1));
}

/// Offset of element (row, column) of Q or K within its head. Groups of eight rows follow each
/// other; a group is head_dim / width patterns of [8][width] bytes.
[[nodiscard]] constexpr std::int64_t row_offset(std::int64_t row, int column, int head_dim) {
  const int width = swizzle_bytes(head_dim);
  const int in_group = static_cast<int>(row % 8);
  const int piece = swizzled_piece(column % width / 16, in_group, width);
  return row / 8 * (8 * head_dim) + column / width * (8 * width) + in_group * width + piece * 16 +
         column % 16;
}

/// Place among 16 keys that WGMMA's A registers give to key `key` of 16. A thread holds the scores
/// of keys 2q, 2q + 1, 2q + 8 and 2q + 9 and packs them into one register, which the instruction
/// takes for keys 4q .. 4q + 3. Softmax does not mind the order of keys, so V is stored in that
/// order and no probability has to change lanes.
[[nodiscard]] constexpr int place_of_key(int key) {
  return key % 8 / 2 * 4 + key / 8 * 2 + key % 2;
}

/// Offset of element (key, channel) of V within its head: slabs of `slab_keys` keys (32, 64 or 128)
/// follow each other, each transposed to [channels][slab_keys] bytes. `channels`: head_dim, and
/// those of ones.
[[nodiscard]] constexpr std::int64_t transposed_offset(std::int64_t key, int channel, int channels,
                                                       int slab_keys) {
  const int in_slab = static_cast<int>(key % slab_keys);
  const int piece = swizzled_piece(in_slab / 16, channel, slab_keys);
  return key / slab_keys * (channels * slab_keys) + channel * slab_keys + piece * 16 +
         place_of_key(in_slab % 16);
}

}  // namespace fa3prof::kernels::quantize
