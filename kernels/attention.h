// Door 1 of kernels/: describe and launch an attention kernel. Nothing else of kernels/ is seen by
// the program. CUDA types stop here and in src/profile/*.cpp.
#pragma once

#include "src/core/attention_kernel.h"
#include "src/core/attention_problem.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace fa3prof::kernels {

/// Element strides of a [batch, seqlen, heads, head_dim] view; head_dim is contiguous. Any order
/// of the three outer dimensions is allowed. Strides must be multiples of 8 elements (16 bytes).
struct Strides {
  std::int64_t batch = 0;
  std::int64_t seq = 0;
  std::int64_t head = 0;
};

/// Strides of a dense [batch, seqlen, heads, head_dim] tensor.
[[nodiscard]] constexpr Strides dense_strides(std::int64_t seqlen, std::int64_t heads,
                                              std::int64_t head_dim) {
  return {seqlen * heads * head_dim, heads * head_dim, head_dim};
}

/// Q, K and V as the e4m3 kernel reads them: e4m3 bytes in the order of kernels/quantize/layout.h,
/// rows beyond seqlen zero, and the float32 factors that turn them back. Device pointers.
struct QuantizedTensors {
  const std::uint8_t* q = nullptr;   ///< [batch, heads, padded seqlen_q, head_dim]
  const std::uint8_t* k = nullptr;   ///< [batch, heads_kv, padded seqlen_kv, head_dim]
  const std::uint8_t* v = nullptr;   ///< the same size, keys and channels transposed
  const float* q_scales = nullptr;   ///< [batch, heads, blocks of 128 rows]
  const float* kv_scales = nullptr;  ///< [batch, heads_kv, key blocks, 2]: of K, log2 of V's
  const float* v_mean = nullptr;     ///< [batch, heads_kv, head_dim]: what was taken from V before
};

/// Device pointers (16-byte aligned) of one launch.
/// q, o: [batch, seqlen_q, num_heads, head_dim]; k, v: [batch, seqlen_kv, num_heads_kv, head_dim];
/// lse: float32 [batch, num_heads, seqlen_q], natural logarithm of the row sums; -inf for a row
/// that sees no key.
struct AttentionTensors {
  const void* q = nullptr;
  const void* k = nullptr;
  const void* v = nullptr;
  void* o = nullptr;
  float* lse = nullptr;
  Strides q_strides;
  Strides k_strides;
  Strides v_strides;
  Strides o_strides;
  float softmax_scale = 0.0F;       ///< > 0
  QuantizedTensors quantized = {};  ///< what a kernel that quantizes reads in place of q, k and v
  /// workspace_bytes() of device memory. The first kCounterBytes are zero before the first launch,
  /// and each launch leaves them zero again; what the others hold between launches does not matter.
  /// Two launches in flight must not share one.
  void* workspace = nullptr;
};

inline constexpr std::size_t kCounterBytes = 128;

/// How a kernel is launched for a problem: everything that a profile report says about it.
struct LaunchDescription {
  core::Tile tile;
  int stages = 0;                        ///< shared-memory buffers of K and of V
  int threads = 0;                       ///< per CTA
  int ctas_per_sm = 0;                   ///< resident at once, by registers and shared memory
  int registers_per_thread = 0;          ///< as allocated at launch
  std::int64_t shared_memory_bytes = 0;  ///< per CTA
  std::int64_t local_memory_bytes = 0;   ///< per thread; > 0 means spills
  std::int64_t grid = 0;                 ///< CTAs
  bool is_persistent = false;
};

/// Reads the launch parameters of `kernel` for `problem` on the current device.
/// Throws UsageError if the kernel does not support the problem, DeviceError if a CUDA call fails.
[[nodiscard]] LaunchDescription describe_launch(const core::AttentionKernel& kernel,
                                                const core::AttentionProblem& problem);

/// Device memory that a launch needs as its workspace.
[[nodiscard]] std::size_t workspace_bytes(const core::AttentionKernel& kernel,
                                          const core::AttentionProblem& problem);

/// Device memory, to be aligned to 16 bytes, that quantize_inputs() needs; 0 for a kernel that
/// reads Q, K and V as they are.
[[nodiscard]] std::size_t quantized_bytes(const core::AttentionKernel& kernel,
                                          const core::AttentionProblem& problem);

/// Enqueues the kernels that make of q, k and v what `kernel` multiplies, in `memory`; for a kernel
/// with quantized_bytes() above 0. Throws DeviceError if a call fails.
[[nodiscard]] QuantizedTensors quantize_inputs(const core::AttentionKernel& kernel,
                                               const core::AttentionProblem& problem,
                                               const AttentionTensors& tensors, void* memory,
                                               cudaStream_t stream);

/// Enqueues `kernel` on `stream` of the current device; returns without waiting.
/// Throws UsageError if the kernel does not support the problem, DeviceError if a call fails.
void launch_attention(const core::AttentionKernel& kernel, const core::AttentionProblem& problem,
                      const AttentionTensors& tensors, cudaStream_t stream);

}  // namespace fa3prof::kernels
