// Attention in FP64 on the CPU, for chosen rows: the judge of every kernel. Straightforward on
// purpose (scores, then softmax, then the weighted sum), so that it shares no trick with what it
// judges.
#pragma once

#include "src/core/attention_problem.h"

#include <cstdint>
#include <span>
#include <vector>

namespace fa3prof::numerics {

/// Dense tensors in host memory as bit patterns of the problem's dtype (fp16 or bf16).
/// q: [batch, seqlen_q, num_heads, head_dim]; k, v: [batch, seqlen_kv, num_heads_kv, head_dim].
struct HostTensors {
  std::span<const std::uint16_t> q;
  std::span<const std::uint16_t> k;
  std::span<const std::uint16_t> v;
};

/// One row of O: a query position of one head of one batch entry.
struct RowIndex {
  std::int64_t batch = 0;
  std::int64_t head = 0;
  std::int64_t row = 0;  ///< 0..seqlen_q-1

  bool operator==(const RowIndex&) const = default;
};

/// In the order of the requested rows.
struct ReferenceRows {
  std::vector<double> o;    ///< [rows, head_dim]
  std::vector<double> lse;  ///< [rows], natural logarithm of the row's sum of exp(scaled score)
};

/// O and LSE of `rows`, with softmax_scale(problem), the bottom-right causal mask, and query head h
/// reading key/value head h / (num_heads / num_heads_kv). A row that sees no key has O = 0 and
/// LSE = -inf. Every product and sum is FP64, so O is good to about 1e-14. A NaN in the inputs of a
/// row makes its result NaN. The result does not depend on which rows are asked for together, nor
/// on the number of threads (all hardware threads are used). Throws UsageError for an invalid
/// problem, another dtype, a tensor whose size does not fit the problem, or a row outside of it.
[[nodiscard]] ReferenceRows reference_rows(const core::AttentionProblem& problem,
                                           const HostTensors& tensors,
                                           std::span<const RowIndex> rows);

}  // namespace fa3prof::numerics
