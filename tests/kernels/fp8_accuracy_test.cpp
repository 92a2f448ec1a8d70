// How far the kernels in e4m3 are from FP64 on inputs with outliers, and that the laboratory's
// emulation says so beforehand.
#include "src/numerics/attention_emulation.h"
#include "src/numerics/error_metrics.h"
#include "src/numerics/float_conversion.h"
#include "src/numerics/input_distributions.h"
#include "tests/catch.h"
#include "tests/kernels/fp8_run.h"

#include <span>
#include <string_view>
#include <vector>

namespace fa3prof::tests {
namespace {

using core::AttentionProblem;

/// Root mean squared errors of O against FP64 on the 16-bit inputs.
struct Errors {
  double measured;  ///< of the GPU
  double emulated;  ///< of the same quantised numbers on the CPU
};

std::vector<std::uint16_t> encoded(const std::vector<float>& values, core::DataType dtype) {
  std::vector<std::uint16_t> bits(values.size());
  numerics::encode(values, dtype, std::span(bits));
  return bits;
}

Errors errors_of(std::string_view kernel, const AttentionProblem& problem) {
  const auto drawn = numerics::draw_inputs(problem, numerics::Distribution::kOutliers, 1);
  const Inputs inputs{.q = encoded(drawn.q, problem.dtype),
                      .k = encoded(drawn.k, problem.dtype),
                      .v = encoded(drawn.v, problem.dtype)};
  const Fp8Run run =
      run_fp8(kernel, problem, inputs, {.signs = kernels::quantize::random_signs(1)});
  const auto emulated =
      numerics::emulate_attention(run.operands.quantized_inputs(), fp8_numerics(kernel, problem));
  const auto rows = spread_rows(problem, problem.batch * problem.num_heads * problem.seqlen_q);
  const auto reference =
      numerics::reference_rows(problem, {.q = inputs.q, .k = inputs.k, .v = inputs.v}, rows);
  const Output on_cpu{.o = encoded(emulated.o, problem.dtype), .lse = emulated.lse};
  return {.measured = numerics::compare(reference.o, rows_of(problem, run.output, rows).o).rmse,
          .emulated = numerics::compare(reference.o, rows_of(problem, on_cpu, rows).o).rmse};
}

}  // namespace

TEST_CASE("on the FlashAttention-3 paper's outliers the error lies where its numerics do",
          "[kernels][gpu][fp8]") {
  if (!gpu_runs(core::kFp8)) return;
  // The shape that gives the paper's other figures; it has 9.1e-3. Few rows decide: on single sets
  // of 64 heads its own numerics lie between 8.9e-3 and 9.8e-3 (docs/numerics.md).
  const Errors errors = errors_of(
      core::kFp8,
      {.num_heads = 64, .num_heads_kv = 64, .seqlen_q = 128, .seqlen_kv = 8192, .head_dim = 128});
  INFO("O RMSE " << errors.measured << " on the GPU, " << errors.emulated << " emulated");
  CHECK(errors.measured < 9.15e-3);
  CHECK_THAT(errors.measured, WithinRel(errors.emulated, 0.05));
}

TEST_CASE("the emulation predicts the error on the GPU within 5 %", "[kernels][gpu][fp8]") {
  for (const std::string_view name : {core::kFp8, core::kFp8Flushing}) {
    if (!gpu_runs(name)) return;
    for (const std::int64_t head_dim : core::find_kernel(name).head_dims) {
      for (const bool is_causal : {false, true}) {
        const AttentionProblem problem{.num_heads = 2,
                                       .num_heads_kv = 2,
                                       .seqlen_q = 1024,
                                       .seqlen_kv = 2048,
                                       .head_dim = head_dim,
                                       .is_causal = is_causal};
        const Errors errors = errors_of(name, problem);
        INFO(name << " " << core::describe(problem) << ": O RMSE " << errors.measured
                  << " on the GPU, " << errors.emulated << " emulated");
        CHECK(errors.measured > 1e-3);
        CHECK_THAT(errors.measured, WithinRel(errors.emulated, 0.05));
      }
    }
  }
}

}  // namespace fa3prof::tests
