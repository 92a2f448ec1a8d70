// How many registers a thread of a role needs, estimated from its program.
#pragma once

#include "sim/pipeline.h"

namespace fa3prof::sim {

/// Most registers that a thread can address (CUDA C++ Programming Guide, compute capability 8 and
/// 9).
inline constexpr int kMostRegistersPerThread = 255;

/// Registers per thread, 32-bit.
struct RegisterNeed {
  double accumulators = 0.0;  ///< float32 of every GEMM of the role: scores and O
  double operands = 0.0;      ///< of GEMMs whose A is in registers: P
  double others = 0.0;        ///< maxima, sums, addresses, loop state, exponentials under way

  [[nodiscard]] double total() const { return accumulators + operands + others; }
};

/// Of a role of a shaped pipeline. Accumulators and operands follow from the shapes of its GEMMs,
/// all alive at once, as they are while the scores of a block are computed beside P V of the one
/// before; of P for mma.sync those of 16 keys, which is what a kernel makes at a time. The others
/// are 32, the least that one of our compiled kernels has left and gets by with, without spills:
/// fa3 at head_dim 64 (160 less 128). A role without GEMMs needs what its file states.
[[nodiscard]] RegisterNeed register_need(const Role& role, const SizeScope& scope);

}  // namespace fa3prof::sim
