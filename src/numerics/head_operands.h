// Keys and values of one head, laid out as the emulation of a kernel reads them.
#pragma once

#include "src/numerics/kernel_numerics.h"

#include <cstdint>
#include <vector>

namespace fa3prof::numerics {

/// Values with the exponents that the tensor core aligns by.
struct Operand {
  std::vector<float> values;
  std::vector<std::int16_t> exponents;
};

/// A block of consecutive keys; the last one of a head may be shorter than tile_n.
struct KeyTile {
  std::int64_t begin = 0;
  std::int64_t count = 0;
};

struct HeadOperands {
  /// K transposed block by block: block i is [head_dim, its count] at tiles[i].begin * head_dim.
  Operand k;
  Operand v;                     ///< [seqlen_kv, head_dim]
  std::vector<float> k_scales;   ///< [seqlen_kv]
  std::vector<float> v_weights;  ///< [seqlen_kv], scale of V / v_scale: 0..1
  float v_scale = 1.0F;          ///< the largest scale of rows of V that are not all zero
  std::vector<float> v_mean;     ///< [head_dim]; empty unless V is smoothed
  std::vector<KeyTile> tiles;    ///< in the order of visits
  bool has_nan = false;          ///< in K or V
};

/// Of one key/value head of one batch entry.
[[nodiscard]] HeadOperands head_operands(const QuantizedInputs& inputs,
                                         const KernelNumerics& numerics, std::int64_t batch,
                                         std::int64_t kv_head);

}  // namespace fa3prof::numerics
