// What about an attention kernel decides its result, and nothing of what decides its speed.
#pragma once

#include "src/core/attention_problem.h"
#include "src/numerics/quantization.h"
#include "src/numerics/tensor_core.h"

#include <cstdint>
#include <vector>

namespace fa3prof::numerics {

/// Flash: key blocks in turn with an online softmax, S and the running output in FP32, P not yet
/// normalised when it is cast. Standard: whole rows of Q K^T, of that times the softmax scale, and
/// of the normalised P, each rounded to FP16, as attention written in PyTorch for FP16 tensors
/// does.
enum class Algorithm { kFlash, kStandard };

/// In which order the key blocks are visited.
enum class KeyOrder { kFirstToLast, kLastToFirst };

/// Where the scales of V go when a head has several: into P before its cast, or onto the partial
/// sum of the keys that share the scale when it is added to the output in FP32.
enum class VScaling { kAtFlush, kIntoP };

/// The defaults are those of an FP8 kernel with all that is known to help.
struct KernelNumerics {
  Algorithm algorithm = Algorithm::kFlash;
  ElementFormat format = ElementFormat::kE4M3;  ///< of Q, K, V and of P when it meets V
  ScaleGranularity scales = ScaleGranularity::kBlock;
  std::int64_t scale_block_rows = 128;
  bool is_rotated = true;           ///< Q and K by the same random rotation (hadamard.h)
  std::uint64_t rotation_seed = 1;  ///< of its signs, which all heads share
  bool is_v_smoothed = false;       ///< V without its channels' means, which are added to O again
  VScaling v_scaling = VScaling::kAtFlush;  ///< a scale for each row always goes into P
  bool has_power_of_two_v_scales = false;
  int p_offset_log2 = 8;  ///< P is cast times 2^this; at most 8 for E4M3, whose largest is 448
  /// 0: the largest P so far is always cast as 2^p_offset_log2. More: the reference of the softmax
  /// stays until a weight, P with what V's scale adds to it, would exceed 2^(p_offset_log2 + this),
  /// and then puts that weight at 2^p_offset_log2: outputs are rarely rescaled.
  double p_headroom_log2 = 0.0;
  /// A weight that moves the reference after a row's first key block is put at 2^(p_offset_log2 +
  /// this); at most the headroom.
  double p_raise_log2 = 0.0;
  /// Rows are divided by the sum of P as it was cast, which the tensor core adds up block by block,
  /// and FP32 over the blocks; else by that of P in FP32.
  bool sums_casts = false;
  KeyOrder order = KeyOrder::kLastToFirst;
  std::int64_t tile_n = 128;                          ///< keys of a block; a multiple of 32
  Accumulator accumulator = Accumulator::kHopperFp8;  ///< of Q K^T and of P V
  /// Keys after which the partial sum of P V is added to the output in FP32; 0: the output itself
  /// is the tensor core's accumulator, over all keys.
  std::int64_t pv_flush_keys = 128;
};

/// Throws UsageError for a combination that no kernel has: tile_n or pv_flush_keys no multiples of
/// 32, the FP8 accumulator with another format, an offset outside 0..8 (15 for E5M2) or, with its
/// headroom, beyond the format's largest value.
void validate(const KernelNumerics& numerics);

/// Q, K and V in FP32, before any rounding. q: [batch, seqlen_q, num_heads, head_dim]; k, v:
/// [batch, seqlen_kv, num_heads_kv, head_dim]. The dtype of the problem plays no role.
struct AttentionInputs {
  core::AttentionProblem problem;
  std::vector<float> q;
  std::vector<float> k;
  std::vector<float> v;

  [[nodiscard]] TensorShape q_shape() const {
    return {problem.batch, problem.seqlen_q, problem.num_heads, problem.head_dim};
  }

  [[nodiscard]] TensorShape kv_shape() const {
    return {problem.batch, problem.seqlen_kv, problem.num_heads_kv, problem.head_dim};
  }
};

/// What a kernel is given.
struct QuantizedInputs {
  core::AttentionProblem problem;
  QuantizedTensor q;
  QuantizedTensor k;
  QuantizedTensor v;
  std::vector<float> v_mean;  ///< [batch, num_heads_kv, head_dim]; empty unless V is smoothed
};

/// Smooths, rotates and quantises as `numerics` says. Throws UsageError as validate, and where a
/// tensor does not fit the problem or head_dim cannot be rotated.
[[nodiscard]] QuantizedInputs prepare(const AttentionInputs& inputs,
                                      const KernelNumerics& numerics);

}  // namespace fa3prof::numerics
