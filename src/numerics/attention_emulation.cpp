#include "src/numerics/attention_emulation.h"

#include "src/numerics/exact_attention.h"
#include "src/numerics/parallel.h"

#include <algorithm>

namespace fa3prof::numerics {
namespace {

std::size_t to_size(std::int64_t value) { return static_cast<std::size_t>(value); }

void store(const EmulatedRows& rows, std::int64_t first, const TensorShape& shape,
           std::int64_t batch, std::int64_t head, EmulatedAttention& result) {
  const auto count = static_cast<std::int64_t>(rows.lse.size());
  for (std::int64_t i = 0; i < count; ++i) {
    std::copy_n(rows.o.begin() + i * shape.head_dim, shape.head_dim,
                result.o.begin() + shape.offset(batch, head, first + i));
    result.lse[to_size(shape.row(batch, head, first + i))] = rows.lse[to_size(i)];
  }
}

}  // namespace

HeadEmulator::HeadEmulator(const QuantizedInputs& inputs, const KernelNumerics& numerics,
                           std::int64_t batch, std::int64_t kv_head)
    : inputs_(inputs),
      numerics_(numerics),
      batch_(batch),
      operands_(head_operands(inputs, numerics, batch, kv_head)) {}

EmulatedRows HeadEmulator::solve(std::int64_t head, std::int64_t begin, std::int64_t count,
                                 bool is_traced) const {
  const TensorShape& shape = inputs_.q.shape;
  std::vector<QueryRow> rows;
  for (std::int64_t row = begin; row < begin + count; ++row) {
    rows.push_back(
        {.values = std::span(inputs_.q.values)
                       .subspan(to_size(shape.offset(batch_, head, row)), to_size(shape.head_dim)),
         .scale = inputs_.q.scales[to_size(shape.row(batch_, head, row))],
         .visible_keys = visible_keys(inputs_.problem, row)});
  }
  return RowGroup(operands_, numerics_, softmax_scale(inputs_.problem), std::move(rows))
      .solve(is_traced);
}

EmulatedAttention emulate_attention(const AttentionInputs& inputs, const KernelNumerics& numerics) {
  return emulate_attention(prepare(inputs, numerics), numerics);
}

EmulatedAttention emulate_attention(const QuantizedInputs& inputs, const KernelNumerics& numerics) {
  validate(numerics);
  const core::AttentionProblem& problem = inputs.problem;
  const TensorShape& shape = inputs.q.shape;
  const std::int64_t heads_of_kv = problem.num_heads / problem.num_heads_kv;
  EmulatedAttention result{
      .o = std::vector<float>(to_size(shape.elements())),
      .lse = std::vector<float>(to_size(shape.batch * shape.heads * shape.seqlen))};
  for (std::int64_t i = 0; i < problem.batch * problem.num_heads_kv; ++i) {
    const std::int64_t batch = i / problem.num_heads_kv;
    const std::int64_t kv_head = i % problem.num_heads_kv;
    const HeadEmulator emulator(inputs, numerics, batch, kv_head);
    const std::int64_t rows = heads_of_kv * problem.seqlen_q;
    for_each_chunk(rows, kEmulatedRows, [&](std::int64_t begin, std::int64_t end) {
      while (begin < end) {  // a chunk may reach into the next query head
        const std::int64_t head = kv_head * heads_of_kv + begin / problem.seqlen_q;
        const std::int64_t row = begin % problem.seqlen_q;
        const std::int64_t count = std::min(end - begin, problem.seqlen_q - row);
        store(emulator.solve(head, row, count, false), row, shape, batch, head, result);
        begin += count;
      }
    });
  }
  return result;
}

}  // namespace fa3prof::numerics
