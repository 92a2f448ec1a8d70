#include "src/numerics/kernel_numerics.h"

#include "src/core/error.h"
#include "src/numerics/hadamard.h"

#include <cmath>
#include <string>

namespace fa3prof::numerics {
namespace {

std::size_t to_size(std::int64_t value) { return static_cast<std::size_t>(value); }

void require(bool is_true, const std::string& text) {
  if (!is_true) throw core::UsageError(text);
}

/// Means over the positions of each head, [batch, heads, head_dim].
std::vector<float> channel_means(std::span<const float> values, const TensorShape& shape) {
  std::vector<double> sums(to_size(shape.batch * shape.heads * shape.head_dim), 0.0);
  std::size_t i = 0;
  for (std::int64_t b = 0; b < shape.batch; ++b) {
    const std::size_t first = to_size(b * shape.heads * shape.head_dim);
    const std::size_t count = to_size(shape.heads * shape.head_dim);
    for (std::int64_t position = 0; position < shape.seqlen; ++position) {
      for (std::size_t at = 0; at < count; ++at) sums[first + at] += values[i++];
    }
  }
  std::vector<float> means;
  means.reserve(sums.size());
  for (const double sum : sums) {
    means.push_back(static_cast<float>(sum / static_cast<double>(shape.seqlen)));
  }
  return means;
}

void subtract(std::span<float> values, std::span<const float> means, const TensorShape& shape) {
  std::size_t i = 0;
  const std::size_t count = to_size(shape.heads * shape.head_dim);
  for (std::int64_t b = 0; b < shape.batch; ++b) {
    for (std::int64_t position = 0; position < shape.seqlen; ++position) {
      for (std::size_t at = 0; at < count; ++at) values[i++] -= means[to_size(b) * count + at];
    }
  }
}

}  // namespace

void validate(const KernelNumerics& numerics) {
  require(numerics.tile_n > 0 && numerics.tile_n % kFp8StepProducts == 0,
          "a block of " + std::to_string(numerics.tile_n) + " keys is no multiple of 32");
  require(numerics.pv_flush_keys >= 0 && numerics.pv_flush_keys % kFp8StepProducts == 0,
          "--pv-flush " + std::to_string(numerics.pv_flush_keys) +
              ": an FP8 instruction adds 32 keys; write a multiple of 32, or 0 for never");
  require(is_fp8(numerics.format) || numerics.accumulator == Accumulator::kFloat32,
          "the narrow accumulator is that of FP8 products; 16-bit products have FP32 sums");
  const int most = numerics.format == ElementFormat::kE4M3 ? 8 : 15;
  require(numerics.p_offset_log2 >= 0 && numerics.p_offset_log2 <= most,
          "--p-offset " + std::to_string(numerics.p_offset_log2) + ": P would exceed " +
              std::string(name_of(numerics.format)) + "; write 0 to " + std::to_string(most));
  const bool has_room =
      numerics.p_headroom_log2 >= 0.0 &&
      (!is_fp8(numerics.format) || numerics.p_offset_log2 + numerics.p_headroom_log2 <=
                                       std::log2(scaled_largest(numerics.format)));
  require(has_room, "--p-headroom: P would exceed " + std::string(name_of(numerics.format)) +
                        "; lower it or --p-offset");
  require(numerics.p_raise_log2 >= 0.0 && numerics.p_raise_log2 <= numerics.p_headroom_log2,
          "--p-raise lies within --p-headroom: write 0 to that");
  const bool has_scale_per_tile = numerics.scales != ScaleGranularity::kRow &&
                                  (numerics.scales != ScaleGranularity::kBlock ||
                                   numerics.scale_block_rows % numerics.tile_n == 0);
  require(!numerics.sums_casts || (numerics.algorithm == Algorithm::kFlash && has_scale_per_tile),
          "sums of P as it was cast need one scale of V for each block of keys: give --tile-n and "
          "--block-rows the same number");
  require(
      numerics.v_scaling == VScaling::kIntoP || numerics.scale_block_rows % kFp8StepProducts == 0,
      "scales of V that wait for the flush need blocks of a multiple of 32 rows");
}

QuantizedInputs prepare(const AttentionInputs& inputs, const KernelNumerics& numerics) {
  validate(inputs.problem);
  validate(numerics);
  std::vector<float> q = inputs.q;
  std::vector<float> k = inputs.k;
  std::vector<float> v = inputs.v;
  if (numerics.is_rotated) {
    require_rotation(inputs.problem.head_dim);
    const auto signs = random_signs(inputs.problem.head_dim, numerics.rotation_seed);
    rotate_rows(std::span<float>(q), signs);
    rotate_rows(std::span<float>(k), signs);
  }
  require(v.size() == to_size(inputs.kv_shape().elements()), "V does not fit the problem");
  std::vector<float> v_mean;
  if (numerics.is_v_smoothed) {
    v_mean = channel_means(v, inputs.kv_shape());
    subtract(v, v_mean, inputs.kv_shape());
  }
  const Quantization quantization{.format = numerics.format,
                                  .scales = numerics.scales,
                                  .block_rows = numerics.scale_block_rows};
  Quantization of_v = quantization;
  of_v.has_power_of_two_scales = numerics.has_power_of_two_v_scales;
  return {.problem = inputs.problem,
          .q = quantize(q, inputs.q_shape(), quantization),
          .k = quantize(k, inputs.kv_shape(), quantization),
          .v = quantize(v, inputs.kv_shape(), of_v),
          .v_mean = std::move(v_mean)};
}

}  // namespace fa3prof::numerics
