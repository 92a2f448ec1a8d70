#include "src/numerics/random_tensors.h"

#include "src/core/error.h"
#include "src/numerics/float_conversion.h"
#include "tests/catch.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace fa3prof::tests {
namespace {

using core::DataType;
using Bits = std::vector<std::uint16_t>;
using Words = std::array<std::uint32_t, 4>;

Bits normal(std::size_t size, std::uint64_t seed, std::uint64_t stream,
            DataType dtype = DataType::kFloat16) {
  Bits bits(size);
  numerics::fill_normal(bits, dtype, seed, stream);
  return bits;
}

std::vector<double> values_of(const Bits& bits) {
  std::vector<double> values(bits.size());
  numerics::decode(bits, DataType::kFloat16, std::span<double>(values));
  return values;
}

template <typename Term>
double mean(const std::vector<double>& values, const Term& term) {
  double sum = 0.0;
  for (const double value : values) sum += term(value);
  return sum / static_cast<double>(values.size());
}

TEST_CASE("Philox gives the published answers", "[numerics]") {
  // Known-answer vectors for philox4x32 with 10 rounds of the authors' Random123 library.
  const std::uint32_t ones = 0xFFFFFFFF;
  CHECK(numerics::philox({0, 0, 0, 0}, {0, 0}) ==
        Words{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8});
  CHECK(numerics::philox({ones, ones, ones, ones}, {ones, ones}) ==
        Words{0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD});
  CHECK(numerics::philox({0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344},
                         {0xA4093822, 0x299F31D0}) ==
        Words{0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1});
}

TEST_CASE("the sequence of a seed is what an independent program computes", "[numerics]") {
  // From a Python transcription of the documented definition.
  CHECK(normal(8, 1, 0) == Bits{0x3616, 0xB4BE, 0xB3FA, 0xBC04, 0x3904, 0xB912, 0xB96D, 0xBC0D});
  CHECK(normal(8, 1, 0, DataType::kBFloat16) ==
        Bits{0x3EC3, 0xBE98, 0xBE7F, 0xBF80, 0x3F20, 0xBF22, 0xBF2E, 0xBF82});
  const auto block =
      numerics::normal_block(0x123456789ABCDEF0, (1ULL << 40U) + 3, (1ULL << 33U) + 1);
  CHECK_THAT(block[0], WithinRel(0.5197880728716523, 1e-13));
  CHECK_THAT(block[1], WithinRel(-2.3521831639286583, 1e-13));
  CHECK_THAT(block[2], WithinRel(0.9584802487541876, 1e-13));
  CHECK_THAT(block[3], WithinRel(-1.8183417604032037, 1e-13));
}

TEST_CASE("a tensor filled by many threads equals one filled in order", "[numerics]") {
  const std::size_t size = 200003;  // many chunks, and neither they nor the last block are full
  Bits serial(size);
  for (std::size_t i = 0; i < size; ++i) {
    const double value = numerics::normal_block(7, 3, i / 4)[i % 4];
    serial[i] = numerics::encode_float16(static_cast<float>(value));
  }
  CHECK((normal(size, 7, 3) == serial));
}

TEST_CASE("a longer tensor starts like a shorter one", "[numerics]") {
  const Bits longer = normal(100000, 5, 1);
  const std::size_t size = GENERATE(1U, 3U, 1000U, 16385U);
  const Bits shorter = normal(size, 5, 1);
  CHECK(std::ranges::equal(shorter, std::span(longer).first(size)));
}

TEST_CASE("seeds and streams give unrelated sequences, in all of their 64 bits", "[numerics]") {
  struct Sequence {
    std::uint64_t seed;
    std::uint64_t stream;
  };

  const auto [seed, stream] =
      GENERATE(Sequence{2, 0}, Sequence{1, 1}, Sequence{0x100000001, 0}, Sequence{1, 0x100000000});
  const std::vector<double> base = values_of(normal(100000, 1, 0));
  const std::vector<double> other = values_of(normal(100000, seed, stream));
  double products = 0.0;
  for (std::size_t i = 0; i < base.size(); ++i) products += base[i] * other[i];
  CHECK(std::abs(products) / 100000.0 < 4.5 / std::sqrt(100000.0));
}

TEST_CASE("four million values have the moments and the tails of N(0,1)", "[numerics]") {
  const std::vector<double> values = values_of(normal(4'000'000, 1, 0));
  // Bounds are five standard errors: sqrt(1, 2, 15, 96 / n).
  CHECK_THAT(mean(values, [](double x) { return x; }), WithinAbs(0.0, 0.0025));
  CHECK_THAT(mean(values, [](double x) { return x * x; }), WithinAbs(1.0, 0.0036));
  CHECK_THAT(mean(values, [](double x) { return x * x * x; }), WithinAbs(0.0, 0.0097));
  CHECK_THAT(mean(values, [](double x) { return x * x * x * x; }), WithinAbs(3.0, 0.0245));
  const auto beyond = [&values](double sigma) {
    return std::ranges::count_if(values, [sigma](double x) { return std::abs(x) > sigma; });
  };
  // Expected: 182001 beyond 2, 253 beyond 4; 6.77 is out of reach.
  CHECK(std::abs(static_cast<double>(beyond(2.0)) - 182001.0) < 2500.0);
  CHECK(beyond(4.0) > 170);
  CHECK(beyond(4.0) < 340);
  CHECK(beyond(6.77) == 0);
}

TEST_CASE("neighbouring values are uncorrelated", "[numerics]") {
  const std::vector<double> values = values_of(normal(1'000'000, 1, 0));
  const std::size_t lag = GENERATE(1U, 2U, 3U, 4U, 128U);
  double products = 0.0;
  for (std::size_t i = lag; i < values.size(); ++i) products += values[i] * values[i - lag];
  CHECK(std::abs(products) / 1e6 < 0.0045);
}

TEST_CASE("random FP8 tensors are refused, empty ones are fine", "[numerics]") {
  Bits bits(4);
  CHECK_THROWS_AS(numerics::fill_normal(bits, DataType::kFloat8E4M3, 1, 0), core::UsageError);
  CHECK_NOTHROW(numerics::fill_normal({}, DataType::kFloat16, 1, 0));
}

}  // namespace
}  // namespace fa3prof::tests
