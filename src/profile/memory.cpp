#include "src/profile/memory.h"

#include "src/core/error.h"

#include <fmt/format.h>

namespace fa3prof::profile {

double tensor_bytes(const core::AttentionProblem& problem) {
  const auto real = [](std::int64_t value) { return static_cast<double>(value); };
  const double rows_q = real(problem.batch) * real(problem.num_heads) * real(problem.seqlen_q);
  const double rows_kv = real(problem.batch) * real(problem.num_heads_kv) * real(problem.seqlen_kv);
  const double input_row = real(problem.head_dim) * real(core::element_bytes(problem.dtype));
  const double output_row = real(problem.head_dim) * 2.0 + 4.0;  // O in 16 bits, LSE in 32
  return (rows_q + 2.0 * rows_kv) * input_row + rows_q * output_row;
}

void require_memory(const core::AttentionProblem& problem, double needed_bytes, double free_bytes) {
  if (needed_bytes <= free_bytes) return;
  throw core::UnavailableError(
      fmt::format("{} needs {:.2f} GB of GPU memory and {:.2f} GB are free",
                  core::describe(problem), needed_bytes * 1e-9, free_bytes * 1e-9),
      "use a shorter --seq, or fewer --batch or --heads");
}

}  // namespace fa3prof::profile
