// From float tensors to scaled FP8 values: scale = largest magnitude / largest FP8 value, for the
// whole tensor, each head, each block of rows or each row.
#pragma once

#include "src/numerics/element_format.h"

#include <cstdint>
#include <span>
#include <vector>

namespace fa3prof::numerics {

/// What shares a scale. A block is a number of consecutive positions of one head of one batch
/// entry.
enum class ScaleGranularity { kTensor, kHead, kBlock, kRow };

/// [batch, seqlen, heads, head_dim], the last dimension contiguous.
struct TensorShape {
  std::int64_t batch = 1;
  std::int64_t seqlen = 1;
  std::int64_t heads = 1;
  std::int64_t head_dim = 1;

  [[nodiscard]] std::int64_t elements() const { return batch * seqlen * heads * head_dim; }

  /// Of [batch, heads, seqlen], the order of scales.
  [[nodiscard]] std::int64_t row(std::int64_t b, std::int64_t head, std::int64_t position) const {
    return (b * heads + head) * seqlen + position;
  }

  /// Index of a row's first element.
  [[nodiscard]] std::int64_t offset(std::int64_t b, std::int64_t head,
                                    std::int64_t position) const {
    return ((b * seqlen + position) * heads + head) * head_dim;
  }
};

struct Quantization {
  ElementFormat format = ElementFormat::kE4M3;
  ScaleGranularity scales = ScaleGranularity::kBlock;
  std::int64_t block_rows = 128;  ///< of kBlock; the last block of a head may be shorter
  /// Scales are raised to the next power of two: another scale then rounds nothing anew.
  bool has_power_of_two_scales = false;
};

/// A tensor of FP8 values: element = value * scale of its row. Of a 16-bit format: all scales 1.
struct QuantizedTensor {
  TensorShape shape;
  Quantization quantization;
  std::vector<float> values;  ///< as shape, each a value of the format
  std::vector<float> scales;  ///< [batch, heads, seqlen]
};

/// Rounds `values` / scale to the format. The largest magnitude is taken over finite values only:
/// infinities become the largest value of the format and NaN stays NaN. Where all are zero, or so
/// small that the scale would be no normal number, the scale is 1. Throws UsageError where `values`
/// do not fill `shape` or block_rows < 1.
[[nodiscard]] QuantizedTensor quantize(std::span<const float> values, const TensorShape& shape,
                                       const Quantization& quantization);

}  // namespace fa3prof::numerics
