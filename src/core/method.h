// How a kernel was timed. Times may be compared only where they were taken in the same way.
#pragma once

#include <string>

namespace fa3prof::core {

struct Method {
  std::string timer = {};  ///< "CUDA events": what a time lies between
  /// "sustained": under a load that the power control has answered; "burst": each launch after a
  /// pause, at the clock of a GPU that was idle.
  std::string mode = {};
  std::string inputs = {};  ///< distribution of Q, K and V: "normal(0, 1)"
  double settle_ms = 0.0;   ///< load before the first sample, at least
  int warmup_rounds = 0;    ///< after settling, not kept
  bool includes_quantization = false;
  /// Sustained: the load went on until the mean clocks of two successive seconds lay no further
  /// apart, or a time limit. 0: for settle_ms alone, as before schema 1.2.
  double steady_clock_ratio = 0.0;
  double pause_ms = 0.0;  ///< burst: before each launch, at least

  bool operator==(const Method&) const = default;
};

/// The method in words: "timer=CUDA events, mode=sustained, inputs=normal(0, 1), ...". What schema
/// 1.2 added is named only where it is not 0, so that older reports keep their fingerprint.
[[nodiscard]] std::string describe(const Method& method);

/// 16 hexadecimal digits that differ, but for chance, where two methods do: FNV-1a (Fowler, Noll
/// and Vo, 64 bits) of describe(). Stable over builds and machines.
[[nodiscard]] std::string fingerprint(const Method& method);

}  // namespace fa3prof::core
