#include "src/numerics/head_operands.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace fa3prof::numerics {
namespace {

std::size_t to_size(std::int64_t value) { return static_cast<std::size_t>(value); }

std::vector<std::int16_t> exponents_of(const std::vector<float>& values, ElementFormat format) {
  std::vector<std::int16_t> exponents(values.size());
  const int lowest = min_exponent(format);
  std::ranges::transform(values, exponents.begin(),
                         [lowest](float value) { return exponent_of(value, lowest); });
  return exponents;
}

std::vector<KeyTile> tiles_of(std::int64_t seqlen, const KernelNumerics& numerics) {
  std::vector<KeyTile> tiles;
  for (std::int64_t begin = 0; begin < seqlen; begin += numerics.tile_n) {
    tiles.push_back({begin, std::min(numerics.tile_n, seqlen - begin)});
  }
  if (numerics.order == KeyOrder::kLastToFirst) std::ranges::reverse(tiles);
  return tiles;
}

/// Of rows that are not all zero: what has no size must not make the others small.
float largest_scale(const std::vector<float>& values, const std::vector<float>& scales) {
  const std::size_t dim = values.size() / scales.size();
  float largest = 0.0F;
  for (std::size_t row = 0; row < scales.size(); ++row) {
    const auto elements = std::span(values).subspan(row * dim, dim);
    const bool is_zero = std::ranges::all_of(elements, [](float value) { return value == 0.0F; });
    if (!is_zero) largest = std::max(largest, scales[row]);
  }
  return largest == 0.0F ? 1.0F : largest;
}

}  // namespace

HeadOperands head_operands(const QuantizedInputs& inputs, const KernelNumerics& numerics,
                           std::int64_t batch, std::int64_t kv_head) {
  const TensorShape& shape = inputs.k.shape;
  const std::int64_t dim = shape.head_dim;
  HeadOperands head;
  head.tiles = tiles_of(shape.seqlen, numerics);
  head.k.values.resize(to_size(shape.seqlen * dim));
  head.v.values.resize(to_size(shape.seqlen * dim));
  for (const KeyTile& tile : head.tiles) {
    for (std::int64_t i = 0; i < tile.count; ++i) {
      const std::int64_t key = tile.begin + i;
      const std::size_t from = to_size(shape.offset(batch, kv_head, key));
      for (std::int64_t d = 0; d < dim; ++d) {
        head.k.values[to_size(tile.begin * dim + d * tile.count + i)] =
            inputs.k.values[from + to_size(d)];
        head.v.values[to_size(key * dim + d)] = inputs.v.values[from + to_size(d)];
      }
    }
  }
  const std::size_t row = to_size(shape.row(batch, kv_head, 0));
  const auto scales_of = [&](const QuantizedTensor& tensor) {
    const auto first = tensor.scales.begin() + static_cast<std::ptrdiff_t>(row);
    return std::vector<float>(first, first + shape.seqlen);
  };
  head.k_scales = scales_of(inputs.k);
  head.v_weights = scales_of(inputs.v);
  head.v_scale = largest_scale(head.v.values, head.v_weights);
  for (float& weight : head.v_weights) weight = std::min(weight / head.v_scale, 1.0F);
  if (!inputs.v_mean.empty()) {
    const auto first = inputs.v_mean.begin() + (batch * shape.heads + kv_head) * dim;
    head.v_mean.assign(first, first + dim);
  }
  const auto is_nan = [](float value) { return std::isnan(value); };
  head.has_nan =
      std::ranges::any_of(head.k.values, is_nan) || std::ranges::any_of(head.v.values, is_nan);
  head.k.exponents = exponents_of(head.k.values, numerics.format);
  head.v.exponents = exponents_of(head.v.values, numerics.format);
  return head;
}

}  // namespace fa3prof::numerics
