#include "tests/kernels/fp8_operands.h"

#include "kernels/quantize/layout.h"
#include "kernels/runtime/cuda_check.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace fa3prof::tests {
namespace {

namespace quantize = kernels::quantize;

std::size_t size(std::int64_t value) { return static_cast<std::size_t>(value); }

template <typename T>
std::vector<T> download(const T* device, std::int64_t count) {
  std::vector<T> host(size(count));
  kernels::cuda_check(
      cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}

}  // namespace

double decode_e4m3(std::uint8_t bits) {
  const int exponent = bits >> 3 & 15;
  const int fraction = bits & 7;
  if (exponent == 15 && fraction == 7) return std::numeric_limits<double>::quiet_NaN();
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -9) : std::ldexp(8 + fraction, exponent - 10);
  return (bits & 0x80) != 0 ? -magnitude : magnitude;
}

Fp8Operands::Fp8Operands(const core::AttentionProblem& problem, const quantize::Tiles& tiles,
                         const kernels::QuantizedTensors& tensors)
    : problem_(problem),
      query_rows_(quantize::padded(problem.seqlen_q, tiles.query_rows)),
      key_rows_(quantize::padded(problem.seqlen_kv, tiles.keys)),
      query_blocks_(quantize::padded(problem.seqlen_q, quantize::kQueryScaleRows) /
                    quantize::kQueryScaleRows),
      block_keys_(tiles.keys),
      value_channels_(tiles.value_channels) {
  kernels::cuda_check(cudaDeviceSynchronize());
  const std::int64_t pairs = problem.batch * problem.num_heads;
  const std::int64_t kv_pairs = problem.batch * problem.num_heads_kv;
  q_ = download(tensors.q, pairs * query_rows_ * problem.head_dim);
  k_ = download(tensors.k, kv_pairs * key_rows_ * problem.head_dim);
  v_ = download(tensors.v, kv_pairs * key_rows_ * value_channels_);
  q_scales_ = download(tensors.q_scales, pairs * query_blocks_);
  kv_scales_ = download(tensors.kv_scales, kv_pairs * key_rows_ / block_keys_ * 2);
  mean_ = download(tensors.v_mean, kv_pairs * problem.head_dim);
}

Fp8Operands::Row Fp8Operands::query_row(std::int64_t pair, std::int64_t row) const {
  const auto head_dim = static_cast<int>(problem_.head_dim);
  Row result{.scale = q_scales_[size(pair * query_blocks_ + row / quantize::kQueryScaleRows)]};
  for (int c = 0; c < head_dim; ++c) {
    const std::int64_t at = pair * query_rows_ * head_dim + quantize::row_offset(row, c, head_dim);
    result.numbers.push_back(decode_e4m3(q_[size(at)]));
  }
  return result;
}

Fp8Operands::Row Fp8Operands::key_row(std::int64_t kv_pair, std::int64_t key) const {
  const auto head_dim = static_cast<int>(problem_.head_dim);
  Row result{.scale = kv_scales_[size(2 * block_of(kv_pair, key))]};
  for (int c = 0; c < head_dim; ++c) {
    const std::int64_t at = kv_pair * key_rows_ * head_dim + quantize::row_offset(key, c, head_dim);
    result.numbers.push_back(decode_e4m3(k_[size(at)]));
  }
  return result;
}

Fp8Operands::Row Fp8Operands::value_row(std::int64_t kv_pair, std::int64_t key) const {
  const auto head_dim = static_cast<int>(problem_.head_dim);
  Row result{.scale = std::exp2(kv_scales_[size(2 * block_of(kv_pair, key) + 1)])};
  for (int c = 0; c < head_dim; ++c) {
    const std::int64_t at =
        kv_pair * key_rows_ * value_channels_ +
        quantize::transposed_offset(key, c, value_channels_, quantize::swizzle_bytes(block_keys_));
    result.numbers.push_back(decode_e4m3(v_[size(at)]));
  }
  return result;
}

std::int64_t Fp8Operands::block_of(std::int64_t kv_pair, std::int64_t key) const {
  return kv_pair * (key_rows_ / block_keys_) + key / block_keys_;
}

std::vector<double> Fp8Operands::query(std::int64_t pair, std::int64_t row) const {
  return query_row(pair, row).values();
}

std::vector<double> Fp8Operands::key(std::int64_t kv_pair, std::int64_t key) const {
  return key_row(kv_pair, key).values();
}

std::vector<double> Fp8Operands::value(std::int64_t kv_pair, std::int64_t key) const {
  std::vector<double> values = value_row(kv_pair, key).values();
  for (std::size_t c = 0; c < values.size(); ++c) {
    values[c] += double{mean_[size(kv_pair * problem_.head_dim) + c]};
  }
  return values;
}

std::vector<double> Fp8Operands::Row::values() const {
  std::vector<double> scaled = numbers;
  for (double& value : scaled) value *= double{scale};
  return scaled;
}

numerics::QuantizedInputs Fp8Operands::quantized_inputs() const {
  const auto tensor = [this](std::int64_t heads, std::int64_t seqlen, auto row_of) {
    numerics::QuantizedTensor result;
    result.shape = {problem_.batch, seqlen, heads, problem_.head_dim};
    result.values.resize(size(result.shape.elements()));
    result.scales.resize(size(problem_.batch * heads * seqlen));
    for (std::int64_t pair = 0; pair < problem_.batch * heads; ++pair) {
      for (std::int64_t i = 0; i < seqlen; ++i) {
        const Row row = row_of(pair, i);
        const std::size_t first = size(result.shape.offset(pair / heads, pair % heads, i));
        for (std::size_t c = 0; c < row.numbers.size(); ++c) {
          result.values[first + c] = static_cast<float>(row.numbers[c]);
        }
        result.scales[size(result.shape.row(pair / heads, pair % heads, i))] = row.scale;
      }
    }
    return result;
  };
  return {.problem = problem_,
          .q = tensor(problem_.num_heads, problem_.seqlen_q,
                      [this](auto pair, auto row) { return query_row(pair, row); }),
          .k = tensor(problem_.num_heads_kv, problem_.seqlen_kv,
                      [this](auto pair, auto key) { return key_row(pair, key); }),
          .v = tensor(problem_.num_heads_kv, problem_.seqlen_kv,
                      [this](auto pair, auto key) { return value_row(pair, key); }),
          .v_mean = mean_};
}

Fp8Operands::Head Fp8Operands::head(std::int64_t kv_pair) const {
  Head head;
  for (std::int64_t i = 0; i < problem_.seqlen_kv; ++i) {
    const std::vector<double> k = key(kv_pair, i);
    const std::vector<double> v = value(kv_pair, i);
    head.k.insert(head.k.end(), k.begin(), k.end());
    head.v.insert(head.v.end(), v.begin(), v.end());
  }
  return head;
}

numerics::ReferenceRows Fp8Operands::attention(const std::vector<numerics::RowIndex>& rows) const {
  const std::int64_t group = problem_.num_heads / problem_.num_heads_kv;
  numerics::ReferenceRows result;
  std::int64_t held = -1;
  Head current;
  for (const numerics::RowIndex& at : rows) {
    const std::int64_t kv_pair = at.batch * problem_.num_heads_kv + at.head / group;
    if (kv_pair != held) current = head(kv_pair);
    held = kv_pair;
    add_row(at, current, result);
  }
  return result;
}

void Fp8Operands::add_row(const numerics::RowIndex& at, const Head& head,
                          numerics::ReferenceRows& result) const {
  const std::size_t head_dim = size(problem_.head_dim);
  const std::int64_t last = at.row + problem_.seqlen_kv - problem_.seqlen_q;
  const std::int64_t visible = problem_.is_causal
                                   ? std::clamp<std::int64_t>(last + 1, 0, problem_.seqlen_kv)
                                   : problem_.seqlen_kv;
  const std::vector<double> q = query(at.batch * problem_.num_heads + at.head, at.row);
  std::vector<double> weights(size(visible));
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < weights.size(); ++j) {
    double score = 0.0;
    for (std::size_t c = 0; c < head_dim; ++c) score += q[c] * head.k[j * head_dim + c];
    weights[j] = score * core::softmax_scale(problem_);
    largest = std::max(largest, weights[j]);
  }
  double sum = 0.0;
  for (double& weight : weights) sum += weight = std::exp(weight - largest);
  std::vector<double> o(head_dim);
  for (std::size_t j = 0; j < weights.size(); ++j) {
    for (std::size_t c = 0; c < head_dim; ++c) {
      o[c] += weights[j] / sum * head.v[j * head_dim + c];
    }
  }
  result.o.insert(result.o.end(), o.begin(), o.end());
  result.lse.push_back(visible == 0 ? largest : largest + std::log(sum));
}

}  // namespace fa3prof::tests
