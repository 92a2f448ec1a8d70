// The memory order of quantised Q, K and V against what FP8 WGMMA reads. What stands here is the
// instruction's side, from the PTX ISA: swizzled patterns of eight rows, the accumulator of S, and
// A in registers.
#include "kernels/quantize/layout.h"
#include "tests/catch.h"

#include <cstdint>
#include <set>
#include <vector>

using namespace fa3prof::kernels;

namespace {

/// Byte that WGMMA reads for (row, k) of a K-major operand of rows of `width` bytes, in groups of
/// eight rows `group_stride` bytes apart: bits 4 up are combined with bits 7 up.
std::int64_t address_of(std::int64_t row, int k, int width, std::int64_t group_stride) {
  const std::int64_t plain = row / 8 * group_stride + row % 8 * width + k;
  return plain ^ ((plain >> 7 & (width / 16 - 1)) << 4);
}

/// Key, among 16, of the score in accumulator register i of a lane whose number modulo 4 is `quad`.
int key_of_score(int i, int quad) { return 8 * (i / 4) + 2 * quad + i % 2; }

}  // namespace

TEST_CASE("quantised rows lie where WGMMA reads Q and K", "[kernels]") {
  const int head_dim = GENERATE(64, 128, 256);
  const int width = quantize::swizzle_bytes(head_dim);
  for (int row = 0; row < 128; ++row) {
    for (int column = 0; column < head_dim; ++column) {
      const std::int64_t block = column / width * std::int64_t{8 * width};
      const std::int64_t read = block + address_of(row, column % width, width, 8 * head_dim);
      REQUIRE(quantize::row_offset(row, column, head_dim) == read);
    }
  }
}

TEST_CASE("V lies transposed where WGMMA reads it, 16 keys in the order of packed scores",
          "[kernels]") {
  const int channels =
      GENERATE(64, 64 + quantize::kSumChannels, 128, 128 + quantize::kSumChannels, 256);
  const int slab_keys = GENERATE(32, 64, 128);
  for (int key = 0; key < 256; ++key) {
    const int in_slab = key % slab_keys;
    const int k = in_slab / 16 * 16 + quantize::place_of_key(in_slab % 16);
    const std::int64_t slab = key / slab_keys * std::int64_t{channels * slab_keys};
    for (int channel = 0; channel < channels; ++channel) {
      const std::int64_t read = slab + address_of(channel, k, slab_keys, 8 * slab_keys);
      REQUIRE(quantize::transposed_offset(key, channel, channels, slab_keys) == read);
    }
  }
}

TEST_CASE("a lane packs the scores of the four keys that WGMMA takes from its register",
          "[kernels]") {
  for (int quad = 0; quad < 4; ++quad) {
    // Registers 0, 1 and 4, 5 hold row g; A takes columns 4 quad .. 4 quad + 3 from the register.
    const std::vector<int> packed{0, 1, 4, 5};
    for (int byte = 0; byte < 4; ++byte) {
      const int key = key_of_score(packed[static_cast<std::size_t>(byte)], quad);
      CHECK(quantize::place_of_key(key) == 4 * quad + byte);
    }
  }
}

TEST_CASE("quantised elements fill their memory without gaps", "[kernels]") {
  constexpr int kHeadDim = 64;
  constexpr int kRows = 160;
  std::set<std::int64_t> rows;
  std::set<std::int64_t> values;
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kHeadDim; ++column) {
      rows.insert(quantize::row_offset(row, column, kHeadDim));
      values.insert(quantize::transposed_offset(row, column, kHeadDim, 32));
    }
  }
  CHECK(rows.size() == kRows * kHeadDim);
  CHECK(*rows.rbegin() == kRows * kHeadDim - 1);
  CHECK(values.size() == kRows * kHeadDim);
  CHECK(*values.rbegin() == kRows * kHeadDim - 1);
}
