// How a kernel was timed. Times may be compared only where they were taken in the same way.
#pragma once

#include <string>

namespace fa3prof::core {

struct Method {
  std::string timer = {};   ///< "CUDA events": what a time lies between
  std::string mode = {};    ///< "sustained": after launches until the power control has settled
  std::string inputs = {};  ///< distribution of Q, K and V: "normal(0, 1)"
  double settle_ms = 0.0;
  int warmup_rounds = 0;  ///< after settling, not kept
  bool includes_quantization = false;

  bool operator==(const Method&) const = default;
};

/// The method in words: "timer=CUDA events, mode=sustained, inputs=normal(0, 1), ...".
[[nodiscard]] std::string describe(const Method& method);

/// 16 hexadecimal digits that differ, but for chance, where two methods do: FNV-1a (Fowler, Noll
/// and Vo, 64 bits) of describe(). Stable over builds and machines.
[[nodiscard]] std::string fingerprint(const Method& method);

}  // namespace fa3prof::core
