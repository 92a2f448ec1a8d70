#include "tests/kernels/fp8_run.h"

#include "kernels/fa3_fp8/config.h"

namespace fa3prof::tests {
namespace {

namespace quantize = kernels::quantize;

kernels::fa3_fp8::Config config_of(std::string_view kernel, const core::AttentionProblem& problem) {
  return kernels::fa3_fp8::config_for(
      {.head_dim = problem.head_dim, .flushes = kernel == core::kFp8Flushing});
}

}  // namespace

Fp8Run run_fp8(std::string_view kernel, const core::AttentionProblem& problem, const Inputs& inputs,
               const quantize::Options& options) {
  const auto config = config_of(kernel, problem);
  const quantize::Tiles tiles = config.tiles();
  const DeviceProblem on_device(problem, inputs, Order::kBatchSeqHead);
  const kernels::DeviceBuffer memory(quantize::memory_bytes(problem, tiles));
  kernels::AttentionTensors tensors = on_device.tensors();
  tensors.quantized = quantize::quantize(problem, tiles, tensors, options, memory.get(), nullptr);
  kernels::launch_attention(core::find_kernel(kernel), problem, tensors, nullptr);
  return {.output = on_device.download(),
          .operands = Fp8Operands(problem, tiles, tensors.quantized),
          .sums_casts = config.sums_in_gemm};
}

numerics::KernelNumerics fp8_numerics(std::string_view kernel,
                                      const core::AttentionProblem& problem) {
  const auto config = config_of(kernel, problem);
  return {.scale_block_rows = config.tile_n,
          .is_v_smoothed = true,
          .v_scaling = numerics::VScaling::kIntoP,
          .p_offset_log2 = kernels::fa3_fp8::kWeightStartLog2,
          .p_headroom_log2 =
              kernels::fa3_fp8::kWeightTopLog2 - double{kernels::fa3_fp8::kWeightStartLog2},
          .p_raise_log2 = double{kernels::fa3_fp8::kWeightRaisedLog2} -
                          double{kernels::fa3_fp8::kWeightStartLog2},
          .sums_casts = config.sums_in_gemm,
          .order = numerics::KeyOrder::kLastToFirst,
          .tile_n = config.tile_n,
          .accumulator = numerics::Accumulator::kHopperFp8,
          .pv_flush_keys = config.flushes ? config.tile_n : 0};
}

}  // namespace fa3prof::tests
