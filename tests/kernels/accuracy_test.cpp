// How exact the 16-bit kernels are, beside FlashAttention-2's algorithm on the CPU: probabilities
// relative to the running maximum, cast once, everything else in FP32.
#include "src/numerics/attention_emulation.h"
#include "src/numerics/float_conversion.h"
#include "tests/catch.h"
#include "tests/kernels/gpu_attention.h"

#include <cstdint>
#include <span>
#include <vector>

namespace fa3prof::tests {
namespace {

struct Case {
  std::int64_t head_dim;
  float q_factor;  ///< sharpens the softmax
  double most;     ///< error of fa3 over that of the algorithm
};

std::vector<float> decoded(const std::vector<std::uint16_t>& bits, core::DataType dtype) {
  std::vector<float> values(bits.size());
  numerics::decode(bits, dtype, std::span<float>(values));
  return values;
}

std::vector<std::uint16_t> encoded(const std::vector<float>& values, core::DataType dtype) {
  std::vector<std::uint16_t> bits(values.size());
  numerics::encode(values, dtype, bits);
  return bits;
}

Output emulated(const core::AttentionProblem& problem, const Inputs& inputs) {
  const auto format = problem.dtype == core::DataType::kFloat16
                          ? numerics::ElementFormat::kFloat16
                          : numerics::ElementFormat::kBFloat16;
  const numerics::EmulatedAttention result =
      numerics::emulate_attention({.problem = problem,
                                   .q = decoded(inputs.q, problem.dtype),
                                   .k = decoded(inputs.k, problem.dtype),
                                   .v = decoded(inputs.v, problem.dtype)},
                                  {.format = format,
                                   .is_rotated = false,
                                   .p_offset_log2 = 0,
                                   .accumulator = numerics::Accumulator::kFloat32,
                                   .pv_flush_keys = 0});
  return {.o = encoded(result.o, problem.dtype), .lse = result.lse};
}

}  // namespace

// head_dim 256 takes the running maximum. 64 and 128 raise their reference past a slack only, so
// that the largest probability is rounded like the others: docs/kernels.md has what that costs.
TEST_CASE("fa3 is as exact as its algorithm at head_dim 256, and nearly so at 64 and 128",
          "[kernels][gpu]") {
  if (!gpu_runs("fa3")) return;
  const auto [head_dim, q_factor, most] =
      GENERATE(Case{64, 1.0F, 1.05}, Case{64, 4.0F, 1.25}, Case{128, 1.0F, 1.05},
               Case{128, 4.0F, 1.25}, Case{256, 1.0F, 1.01}, Case{256, 4.0F, 1.01});
  for (const core::DataType dtype : {core::DataType::kFloat16, core::DataType::kBFloat16}) {
    const core::AttentionProblem problem{.batch = 1,
                                         .num_heads = 2,
                                         .num_heads_kv = 2,
                                         .seqlen_q = 512,
                                         .seqlen_kv = 4096,
                                         .head_dim = head_dim,
                                         .is_causal = false,
                                         .dtype = dtype};
    Inputs inputs = random_inputs(problem, 31);
    std::vector<float> q = decoded(inputs.q, dtype);
    for (float& value : q) value *= q_factor;
    inputs.q = encoded(q, dtype);
    const std::vector<numerics::RowIndex> rows = spread_rows(problem, 1024);
    const double actual =
        deviation(problem, inputs, run_attention("fa3", problem, inputs), rows).relative_error;
    const double expected =
        deviation(problem, inputs, emulated(problem, inputs), rows).relative_error;
    CAPTURE(core::describe(problem), q_factor, actual, expected, actual / expected);
    CHECK(actual < most * expected);
    CHECK(actual > 0.95 * expected);
  }
}

}  // namespace fa3prof::tests
