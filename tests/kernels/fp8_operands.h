// What the quantising kernels made of Q, K and V, as numbers again, and FP64 attention on them.
#pragma once

#include "kernels/attention.h"
#include "kernels/quantize/quantize.h"
#include "src/numerics/kernel_numerics.h"
#include "src/numerics/reference_attention.h"

#include <cstdint>
#include <vector>

namespace fa3prof::tests {

/// Value of an e4m3 byte; NaN for 0x7F and 0xFF.
[[nodiscard]] double decode_e4m3(std::uint8_t bits);

/// Quantised operands on the host. Rows of Q and K are rotated where they were on the device.
class Fp8Operands {
 public:
  /// Downloads what quantize() wrote for these tiles; waits for the device.
  Fp8Operands(const core::AttentionProblem& problem, const kernels::quantize::Tiles& tiles,
              const kernels::QuantizedTensors& tensors);

  /// Row `row` of Q of a query head; keys and values of `key` of a key head, V with its mean.
  [[nodiscard]] std::vector<double> query(std::int64_t pair, std::int64_t row) const;
  [[nodiscard]] std::vector<double> key(std::int64_t kv_pair, std::int64_t key) const;
  [[nodiscard]] std::vector<double> value(std::int64_t kv_pair, std::int64_t key) const;

  /// The same as the laboratory holds them: e4m3 numbers, a scale for each row, the mean of V.
  [[nodiscard]] numerics::QuantizedInputs quantized_inputs() const;

  /// Attention in FP64 on these numbers.
  [[nodiscard]] numerics::ReferenceRows attention(
      const std::vector<numerics::RowIndex>& rows) const;

 private:
  /// A row of e4m3 numbers and the factor that they are to be multiplied by.
  struct Row {
    std::vector<double> numbers = {};
    float scale = 1.0F;

    [[nodiscard]] std::vector<double> values() const;
  };

  /// Keys and values of a key head, [seqlen_kv, head_dim] each.
  struct Head {
    std::vector<double> k;
    std::vector<double> v;
  };

  [[nodiscard]] Row query_row(std::int64_t pair, std::int64_t row) const;
  [[nodiscard]] Row key_row(std::int64_t kv_pair, std::int64_t key) const;
  [[nodiscard]] Row value_row(std::int64_t kv_pair, std::int64_t key) const;  ///< without the mean
  /// Place of a key's block among those of all key heads.
  [[nodiscard]] std::int64_t block_of(std::int64_t kv_pair, std::int64_t key) const;
  [[nodiscard]] Head head(std::int64_t kv_pair) const;
  void add_row(const numerics::RowIndex& at, const Head& head,
               numerics::ReferenceRows& result) const;

  core::AttentionProblem problem_;
  std::int64_t query_rows_;  ///< of a head, padded
  std::int64_t key_rows_;
  std::int64_t query_blocks_;  ///< of a head
  int block_keys_;
  int value_channels_;
  std::vector<std::uint8_t> q_, k_, v_;
  std::vector<float> q_scales_, kv_scales_, mean_;
};

}  // namespace fa3prof::tests
