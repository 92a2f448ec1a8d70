// Attention as a kernel computes it, on the CPU: the prediction of a kernel's error. Quantisation,
// block order, online softmax in FP32, casts of P and sums of products are the kernel's; what is
// not: the order of FP32 sums inside of a block, and ex2.approx, which is good to 2^-22.
#pragma once

#include "src/numerics/kernel_numerics.h"
#include "src/numerics/row_group.h"

#include <cstdint>
#include <vector>

namespace fa3prof::numerics {

/// All heads of one key/value head, ready for any of their query rows.
class HeadEmulator {
 public:
  /// Both must outlive this. kv_head: 0..num_heads_kv-1.
  HeadEmulator(const QuantizedInputs& inputs, const KernelNumerics& numerics, std::int64_t batch,
               std::int64_t kv_head);

  /// `count` query rows from `begin` on of one query head that reads this key/value head.
  [[nodiscard]] EmulatedRows solve(std::int64_t head, std::int64_t begin, std::int64_t count,
                                   bool is_traced) const;

 private:
  const QuantizedInputs& inputs_;
  const KernelNumerics& numerics_;
  std::int64_t batch_;
  HeadOperands operands_;
};

/// Query rows that share one pass over the keys.
inline constexpr std::int64_t kEmulatedRows = 16;

struct EmulatedAttention {
  std::vector<float> o;    ///< [batch, seqlen_q, num_heads, head_dim], before it is rounded
  std::vector<float> lse;  ///< [batch, num_heads, seqlen_q]
};

/// O as a kernel with these numerics computes it from FP32 (or exactly decoded 16-bit) inputs:
/// scale granularity, rotation, P offset, tile_n and block order, flush and accumulator are fields
/// of `numerics`. To predict a kernel's error: compare this with FP64 as the kernel's O is. Uses
/// all hardware threads; the result does not depend on their number. One head of 8192 x 8192 x 128
/// takes about three seconds on two cores. Throws UsageError as prepare.
///
///   AttentionInputs inputs{.problem = problem, .q = q, .k = k, .v = v};
///   emulate_attention(inputs, {.tile_n = 224, .pv_flush_keys = 0}).o
[[nodiscard]] EmulatedAttention emulate_attention(const AttentionInputs& inputs,
                                                  const KernelNumerics& numerics);

/// The same from values that were already quantised, by a GPU for one.
[[nodiscard]] EmulatedAttention emulate_attention(const QuantizedInputs& inputs,
                                                  const KernelNumerics& numerics);

}  // namespace fa3prof::numerics
