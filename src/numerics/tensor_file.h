// One tensor from a .npy or .safetensors file, as float. Sizes that a file claims are checked
// against its length before anything is allocated.
#pragma once

#include "src/numerics/kernel_numerics.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fa3prof::numerics {

struct FileTensor {
  std::string source;               ///< for errors: the file, and the tensor's name in it
  std::vector<std::int64_t> shape;  ///< each >= 1
  std::vector<float> values;        ///< row-major
};

/// A .npy file of format 1.0 to 3.0: little-endian float16, float32 or float64 in C order.
/// Source: numpy.lib.format, NEP 1. Throws ConfigError naming what is wrong.
[[nodiscard]] FileTensor load_npy(const std::string& path);

/// The tensor `name` of a safetensors file: F16, BF16, F32 or F64. Source: the format's description
/// in huggingface/safetensors. Throws ConfigError naming what is wrong, and the file's tensors
/// where there is none of that name.
[[nodiscard]] FileTensor load_safetensors(const std::string& path, const std::string& name);

/// "q.npy", "qkv.safetensors:layer0.q", or "qkv.safetensors", which then takes `default_name`.
/// Throws UsageError for another ending, ConfigError as the two above.
[[nodiscard]] FileTensor load_tensor(const std::string& place, const std::string& default_name);

/// Order of a tensor's dimensions: [batch, seqlen, heads, head_dim] as flash-attention has them, or
/// [batch, heads, seqlen, head_dim] as PyTorch has them. In front may be left out: [seqlen, heads,
/// head_dim] or [heads, seqlen, head_dim], and [seqlen, head_dim].
enum class TensorLayout { kSeqlenHeads, kHeadsSeqlen };

/// Q, K and V of one problem. Throws UsageError where shapes do not fit each other.
[[nodiscard]] AttentionInputs inputs_of(const FileTensor& q, const FileTensor& k,
                                        const FileTensor& v, TensorLayout layout);

}  // namespace fa3prof::numerics
