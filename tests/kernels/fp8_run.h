// Runs a kernel in e4m3 on the GPU, quantiser first.
#pragma once

#include "kernels/quantize/quantize.h"
#include "src/numerics/kernel_numerics.h"
#include "tests/kernels/fp8_operands.h"
#include "tests/kernels/gpu_attention.h"

#include <string_view>

namespace fa3prof::tests {

/// A launch and, on the host, what it multiplied.
struct Fp8Run {
  Output output;
  Fp8Operands operands;
  bool sums_casts = false;  ///< rows are divided by the sum of the weights as they were cast
};

[[nodiscard]] Fp8Run run_fp8(std::string_view kernel, const core::AttentionProblem& problem,
                             const Inputs& inputs,
                             const kernels::quantize::Options& options = {
                                 .signs = kernels::quantize::random_signs(5)});

/// How the kernel computes, for the laboratory, on this problem.
[[nodiscard]] numerics::KernelNumerics fp8_numerics(std::string_view kernel,
                                                    const core::AttentionProblem& problem);

}  // namespace fa3prof::tests
