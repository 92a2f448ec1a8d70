// The ceilings of attention on a machine, for a roofline. Not: where a kernel stands below them.
#pragma once

#include "sim/machine.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fa3prof::analysis {

enum class RoofKind {
  kCompute,  ///< a rate of FLOP, level in a roofline
  kMemory,   ///< a rate of bytes, a slope in a roofline
};

/// One ceiling. FLOP are those of the two matrix products alone, 4 * head_dim for each attended
/// pair of a query and a key.
struct Roof {
  std::string unit;  ///< "tensor_fp16", "tensor_fp8", "exponentials", "l2", "hbm"
  RoofKind kind = RoofKind::kCompute;
  double value = 0.0;               ///< at clock_load_mhz; FLOP/s or bytes/s
  double value_at_max_clock = 0.0;  ///< at clock_max_mhz; HBM keeps its own
  std::string formula;              ///< of `value`: "4096 FLOP/cycle/SM x 132 SM x 1545 MHz"
};

/// The ceilings that the machine's numbers give for that head_dim: the tensor cores in FP16 and
/// FP8; the MUFU, since every attended pair needs one exponential; L2 and HBM. A ceiling whose
/// numbers the machine lacks is left out, and so are all but HBM where it states no clock under
/// load.
[[nodiscard]] std::vector<Roof> roofs_of(const sim::Machine& machine, std::int64_t head_dim);

}  // namespace fa3prof::analysis
