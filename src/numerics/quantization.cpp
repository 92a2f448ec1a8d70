#include "src/numerics/quantization.h"

#include "src/core/error.h"
#include "src/numerics/parallel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace fa3prof::numerics {
namespace {

std::size_t to_size(std::int64_t value) { return static_cast<std::size_t>(value); }

float largest_magnitude(std::span<const float> values) {
  float found = 0.0F;
  for (const float value : values) {
    if (std::isfinite(value)) found = std::max(found, std::abs(value));
  }
  return found;
}

/// Rows of one head that share a scale.
std::int64_t rows_of_scale(const TensorShape& shape, const Quantization& quantization) {
  switch (quantization.scales) {
    case ScaleGranularity::kRow:
      return 1;
    case ScaleGranularity::kBlock:
      return quantization.block_rows;
    case ScaleGranularity::kHead:
    case ScaleGranularity::kTensor:
      break;
  }
  return shape.seqlen;
}

float scale_of(float magnitude, const Quantization& quantization) {
  const float scale = magnitude / scaled_largest(quantization.format);
  if (scale < std::numeric_limits<float>::min()) return 1.0F;
  return quantization.has_power_of_two_scales ? std::exp2(std::ceil(std::log2(scale))) : scale;
}

/// Fills the result, a head of a batch entry at a time.
class Quantizer {
 public:
  Quantizer(std::span<const float> values, QuantizedTensor& result)
      : values_(values), result_(result) {
    if (result.quantization.scales == ScaleGranularity::kTensor) {
      tensor_magnitude_ = largest_magnitude(values);
    }
  }

  void quantize_head(std::int64_t batch, std::int64_t head) {
    const TensorShape& shape = result_.shape;
    const std::int64_t rows = rows_of_scale(shape, result_.quantization);
    for (std::int64_t begin = 0; begin < shape.seqlen; begin += rows) {
      const std::int64_t end = std::min(begin + rows, shape.seqlen);
      const float scale = scale_of_rows(batch, head, begin, end);
      for (std::int64_t row = begin; row < end; ++row) round_row(batch, head, row, scale);
    }
  }

 private:
  [[nodiscard]] std::span<const float> row_at(std::int64_t offset) const {
    return values_.subspan(to_size(offset), to_size(result_.shape.head_dim));
  }

  [[nodiscard]] float scale_of_rows(std::int64_t batch, std::int64_t head, std::int64_t begin,
                                    std::int64_t end) const {
    if (!is_fp8(result_.quantization.format)) return 1.0F;
    float magnitude = tensor_magnitude_;
    if (result_.quantization.scales != ScaleGranularity::kTensor) {
      for (std::int64_t row = begin; row < end; ++row) {
        magnitude =
            std::max(magnitude, largest_magnitude(row_at(result_.shape.offset(batch, head, row))));
      }
    }
    return scale_of(magnitude, result_.quantization);
  }

  void round_row(std::int64_t batch, std::int64_t head, std::int64_t row, float scale) {
    const std::int64_t offset = result_.shape.offset(batch, head, row);
    result_.scales[to_size(result_.shape.row(batch, head, row))] = scale;
    const ElementFormat format = result_.quantization.format;
    std::ranges::transform(row_at(offset), result_.values.begin() + offset,
                           [&](float value) { return round_to(value / scale, format); });
  }

  std::span<const float> values_;
  QuantizedTensor& result_;
  float tensor_magnitude_ = 0.0F;
};

}  // namespace

QuantizedTensor quantize(std::span<const float> values, const TensorShape& shape,
                         const Quantization& quantization) {
  if (values.size() != to_size(shape.elements())) {
    throw core::UsageError("quantize: " + std::to_string(values.size()) +
                           " values, the shape has " + std::to_string(shape.elements()));
  }
  if (quantization.block_rows < 1) {
    throw core::UsageError("quantize: a block needs at least one row");
  }
  QuantizedTensor result{
      .shape = shape,
      .quantization = quantization,
      .values = std::vector<float>(values.size()),
      .scales = std::vector<float>(to_size(shape.batch * shape.heads * shape.seqlen))};
  Quantizer quantizer(values, result);
  for_each_chunk(shape.batch * shape.heads, 1, [&](std::int64_t i, std::int64_t) {
    quantizer.quantize_head(i / shape.heads, i % shape.heads);
  });
  return result;
}

}  // namespace fa3prof::numerics
