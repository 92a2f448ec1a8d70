#include "src/numerics/hadamard.h"

#include "src/core/error.h"
#include "src/numerics/random_tensors.h"

#include <bit>
#include <cmath>
#include <string>

namespace fa3prof::numerics {
namespace {

constexpr std::uint64_t kSignStream = 0x5169'6E73;  // no input tensor has it

template <typename T>
void rotate(std::span<T> row, std::span<const float> signs) {
  for (std::size_t i = 0; i < row.size(); ++i) row[i] *= static_cast<T>(signs[i]);
  for (std::size_t half = 1; half < row.size(); half *= 2) {
    for (std::size_t begin = 0; begin < row.size(); begin += 2 * half) {
      for (std::size_t i = begin; i < begin + half; ++i) {
        const T left = row[i];
        const T right = row[i + half];
        row[i] = left + right;
        row[i + half] = left - right;
      }
    }
  }
  const T scale = T{1} / std::sqrt(static_cast<T>(row.size()));
  for (T& value : row) value *= scale;
}

template <typename T>
void rotate_all(std::span<T> rows, std::span<const float> signs) {
  require_rotation(static_cast<std::int64_t>(signs.size()));
  if (rows.size() % signs.size() != 0) {
    throw core::UsageError("cannot rotate " + std::to_string(rows.size()) +
                           " elements in rows of " + std::to_string(signs.size()) +
                           "; give whole rows");
  }
  for (std::size_t begin = 0; begin < rows.size(); begin += signs.size()) {
    rotate(rows.subspan(begin, signs.size()), signs);
  }
}

}  // namespace

std::vector<float> random_signs(std::int64_t size, std::uint64_t seed) {
  std::vector<float> signs(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < signs.size(); ++i) {
    const auto block = static_cast<std::uint32_t>(i / 128);
    const auto words =
        philox({block, 0, static_cast<std::uint32_t>(kSignStream), 0},
               {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)});
    signs[i] = ((words[i / 32 % 4] >> (i % 32)) & 1U) != 0 ? -1.0F : 1.0F;
  }
  return signs;
}

void require_rotation(std::int64_t head_dim) {
  if (head_dim > 0 && std::has_single_bit(static_cast<std::uint64_t>(head_dim))) return;
  throw core::UsageError("head_dim " + std::to_string(head_dim) +
                         " is no power of two, so it has no Hadamard matrix of this construction; "
                         "leave the rotation out (--hadamard off) or pad Q, K and V with zeros");
}

void rotate_rows(std::span<float> rows, std::span<const float> signs) { rotate_all(rows, signs); }

void rotate_rows(std::span<double> rows, std::span<const float> signs) { rotate_all(rows, signs); }

}  // namespace fa3prof::numerics
