// A few query rows of one head on their way through the key blocks, as a kernel's consumer has
// them.
#pragma once

#include "src/numerics/head_operands.h"

#include <cstdint>
#include <span>
#include <vector>

namespace fa3prof::numerics {

/// What an emulation yields for rows of one head. s and p only when traced.
struct EmulatedRows {
  std::vector<float> o;    ///< [rows, head_dim], before the rounding to the output's type
  std::vector<float> lse;  ///< [rows], natural logarithm; -inf for a row that sees no key
  /// [rows], the share of each row's probability that its cast made zero: 0..1.
  std::vector<float> lost_mass;
  std::vector<float> s;  ///< [rows, seqlen_kv], scaled scores; -inf where the mask hides the key
  std::vector<float> p;  ///< [rows, seqlen_kv], the probabilities that V was weighed with
};

/// One query row.
struct QueryRow {
  std::span<const float> values;  ///< [head_dim]
  float scale = 1.0F;
  std::int64_t visible_keys = 0;
};

class RowGroup {
 public:
  /// All three must outlive this. `softmax_scale` is that of the problem.
  RowGroup(const HeadOperands& head, const KernelNumerics& numerics, double softmax_scale,
           std::vector<QueryRow> rows);

  /// Goes over all key blocks. `is_traced` also fills s and p.
  [[nodiscard]] EmulatedRows solve(bool is_traced);

 private:
  struct State {
    float reference;  ///< score, in powers of two, of the weight that is cast as 2^p_offset_log2
    float sum;        ///< of P so far, with its offset
    float lost;       ///< likewise, of what the cast made zero
  };

  void solve_flash();
  void solve_standard();
  void add_scores(const KeyTile& tile);
  void online_softmax(const KeyTile& tile, std::size_t row);
  void raise_reference(std::size_t row, float reference);
  void cast_probability(const KeyTile& tile, std::size_t row, std::size_t i, float p);
  void add_weighted_values(const KeyTile& tile);
  void add_cast_sum(const KeyTile& tile, std::size_t row);
  void flush();
  void finish_row(std::size_t row);

  [[nodiscard]] std::span<float> scores_of(std::size_t row, const KeyTile& tile);
  [[nodiscard]] std::size_t visible_in(const KeyTile& tile, std::size_t row) const;
  /// What the tensor core's score of a key is multiplied by to be a power of two's exponent.
  [[nodiscard]] float score_factor(std::size_t row, std::int64_t key) const;
  /// What V's scale adds to P before its cast.
  [[nodiscard]] float cast_weight(std::size_t key) const;
  [[nodiscard]] std::span<float> output_of(std::vector<float>& outputs, std::size_t row) const;

  const HeadOperands& head_;
  const KernelNumerics& numerics_;
  float softmax_scale_log2_;
  std::vector<QueryRow> rows_;
  std::vector<std::vector<std::int16_t>> q_exponents_;
  Accumulator accumulator_;
  std::size_t head_dim_;
  std::size_t keys_;
  VScaling v_scaling_;  ///< into P where each key has its own scale
  bool has_partial_sums_;
  bool is_traced_ = false;

  std::vector<State> states_;
  std::vector<float> scores_;  ///< [rows, tile_n], as the tensor core leaves them
  std::vector<float> p_;       ///< [rows, tile_n], cast, with offset
  std::vector<std::int16_t> p_exponents_;
  std::vector<float> partial_;  ///< [rows, head_dim], the tensor core's sums since the last flush
  std::int64_t partial_keys_ = 0;
  float partial_weight_ = 1.0F;
  EmulatedRows result_;
};

}  // namespace fa3prof::numerics
