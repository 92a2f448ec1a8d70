// Runs one of our kernels on the GPU on random inputs and compares it with the FP64 reference.
#pragma once

#include "kernels/attention.h"
#include "kernels/runtime/handles.h"
#include "src/numerics/reference_attention.h"

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace fa3prof::tests {

/// Upper ends of what random_problem() draws.
struct ShapeLimits {
  std::int64_t batch;        ///< of three problems in four
  std::int64_t large_batch;  ///< of the fourth
  std::int64_t heads_kv;
  std::int64_t group;         ///< query heads of a key head
  std::int64_t short_length;  ///< of one length in two
  std::int64_t length;        ///< of the other
};

/// True where the kernel can run; without any GPU it prints "SKIPPED: ...", where this
/// GPU is not the kernel's it says so; both are false.
[[nodiscard]] bool gpu_runs(std::string_view kernel);

/// One kernel with one of the head dimensions and types it supports.
struct Variant {
  std::string kernel;
  std::int64_t head_dim;
  core::DataType dtype;
};

/// Of the kernels that multiply Q, K and V as they are.
[[nodiscard]] std::vector<Variant> variants();

/// A problem whose sizes straddle tile edges as often as not.
[[nodiscard]] core::AttentionProblem random_problem(std::mt19937& random, const Variant& variant,
                                                    bool is_causal, const ShapeLimits& limits);

/// Limit of the relative error of O: rounding P and O to 11 (fp16) or 8 bits (bf16) leaves about a
/// third of it over many keys, and less than half where one key has all the weight (half a unit in
/// the last place of P and of O: 2 * 2^-12 or 2 * 2^-9).
[[nodiscard]] double tolerance(core::DataType dtype);

/// Limit of the absolute error of LSE for scores of usual size.
inline constexpr double kLseTolerance = 1e-3;

/// How the outer dimensions of Q, K, V and O are ordered in memory.
enum class Order { kBatchSeqHead, kBatchHeadSeq };

/// Output of a launch on device tensors poisoned with NaN beforehand, back on the host.
struct Output {
  std::vector<std::uint16_t> o;  ///< [batch, seqlen_q, num_heads, head_dim], float16 bits
  std::vector<float> lse;        ///< [batch, num_heads, seqlen_q]
  unsigned workspace = 0;        ///< first word of the workspace after the launch
};

/// Inputs of a problem: N(0,1) from `seed`, dense [batch, seqlen, heads, head_dim].
struct Inputs {
  std::vector<std::uint16_t> q;
  std::vector<std::uint16_t> k;
  std::vector<std::uint16_t> v;
};

[[nodiscard]] Inputs random_inputs(const core::AttentionProblem& problem, std::uint64_t seed);

/// Inputs on the device, and outputs poisoned with NaN.
class DeviceProblem {
 public:
  DeviceProblem(const core::AttentionProblem& problem, const Inputs& inputs, Order order);

  [[nodiscard]] const kernels::AttentionTensors& tensors() const { return tensors_; }

  /// Waits for the device.
  [[nodiscard]] Output download() const;

 private:
  core::AttentionProblem problem_;
  Order order_;
  kernels::DeviceBuffer q_, k_, v_, o_, lse_, workspace_;
  kernels::AttentionTensors tensors_;
};

[[nodiscard]] Output run_attention(std::string_view kernel, const core::AttentionProblem& problem,
                                   const Inputs& inputs, Order order = Order::kBatchSeqHead);

/// Errors of O and LSE over `rows`; infinite when any element of the whole output is not finite
/// although its row sees a key.
struct Deviation {
  double relative_error = 0.0;
  double lse_max_abs_error = 0.0;
};

[[nodiscard]] Deviation deviation(const core::AttentionProblem& problem, const Inputs& inputs,
                                  const Output& output,
                                  const std::vector<numerics::RowIndex>& rows);

/// O and LSE of some rows, as reference_rows orders them.
[[nodiscard]] numerics::ReferenceRows rows_of(const core::AttentionProblem& problem,
                                              const Output& output,
                                              const std::vector<numerics::RowIndex>& rows);

/// Elements finite on one side only; the others are compared as `relative_error`, to which an
/// element that is finite on neither side adds nothing.
struct Agreement {
  std::int64_t different_kind = 0;
  std::int64_t not_finite = 0;
  double relative_error = 0.0;
  double max_abs_error = 0.0;
};

[[nodiscard]] Agreement compare_kinds(std::vector<double> reference, std::vector<double> actual);

/// Every row, or `at_most` of them spread evenly, the first and last included.
[[nodiscard]] std::vector<numerics::RowIndex> spread_rows(const core::AttentionProblem& problem,
                                                          std::int64_t at_most);

}  // namespace fa3prof::tests
