#include "src/numerics/random_tensors.h"

#include "src/numerics/float_conversion.h"
#include "src/numerics/parallel.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fa3prof::numerics {
namespace {

constexpr std::int64_t kChunk = 16384;  // values; a multiple of the 4 that a block yields

struct Pair {
  double first;
  double second;
};

// Double precision, so that a last-bit difference between two math libraries does not survive the
// rounding to 16 bits: inputs stay reproducible across machines.
Pair box_muller(std::uint32_t radius_bits, std::uint32_t angle_bits) {
  const double uniform = (static_cast<double>(radius_bits) + 0.5) * 0x1p-32;  // in (0, 1)
  const double radius = std::sqrt(-2.0 * std::log(uniform));
  const double angle = 2.0 * std::numbers::pi * 0x1p-32 * static_cast<double>(angle_bits);
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32U); }

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53U} * counter[0];
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57U} * counter[2];
    counter = {high(product1) ^ counter[1] ^ key[0], low(product1),
               high(product0) ^ counter[3] ^ key[1], low(product0)};
    key[0] += 0x9E3779B9U;
    key[1] += 0xBB67AE85U;
  }
  return counter;
}

std::array<double, 4> normal_block(std::uint64_t seed, std::uint64_t stream, std::uint64_t block) {
  const auto bits =
      philox({low(block), high(block), low(stream), high(stream)}, {low(seed), high(seed)});
  const Pair a = box_muller(bits[0], bits[1]);
  const Pair b = box_muller(bits[2], bits[3]);
  return {a.first, a.second, b.first, b.second};
}

void fill_normal(std::span<std::uint16_t> out, core::DataType dtype, std::uint64_t seed,
                 std::uint64_t stream) {
  const auto fill_chunk = [&](std::int64_t begin, std::int64_t end) {
    std::array<float, kChunk> values{};
    for (std::int64_t i = begin; i < end; i += 4) {
      const auto block = normal_block(seed, stream, static_cast<std::uint64_t>(i / 4));
      std::ranges::transform(block, values.begin() + (i - begin),
                             [](double value) { return static_cast<float>(value); });
    }
    const auto size = static_cast<std::size_t>(end - begin);
    encode(std::span(values).first(size), dtype,
           out.subspan(static_cast<std::size_t>(begin), size));
  };
  for_each_chunk(static_cast<std::int64_t>(out.size()), kChunk, fill_chunk);
}

}  // namespace fa3prof::numerics
