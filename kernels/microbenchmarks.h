// Door 2 of kernels/: what single instructions, barriers, copies and launches cost on the GPU at
// hand, as named series of numbers with units. Never an attention kernel. Plain C++.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace fa3prof::kernels {

/// Median over SMs and repetitions at one setting, with the quantiles 0.1 and 0.9.
struct MeasuredPoint {
  double x = 0.0;  ///< the setting, in the series' axis
  double value = 0.0;
  double low = 0.0;
  double high = 0.0;
};

/// One quantity over one setting.
struct Series {
  std::string benchmark;  ///< one of kMicrobenchmarks
  std::string name;       ///< unique: "wgmma_shared_a_1_warpgroup"
  std::string axis;       ///< what x is: "n", "box_bytes", "warps"; empty for a single point
  std::string unit;       ///< of the values: "cycles", "bytes/cycle"
  std::vector<MeasuredPoint> points;
};

/// In the order in which they are best run: what heats the GPU comes last.
inline constexpr std::array<std::string_view, 13> kMicrobenchmarks{
    "device", "wgmma",  "mma_sync", "pipes", "interference", "turns", "barriers",
    "tma",    "memory", "launch",   "start", "code",         "clock"};

/// Runs one of kMicrobenchmarks on the current device, which must have compute capability 9.0; the
/// longest takes three seconds. Throws UsageError for another name, DeviceError if a CUDA call
/// fails.
[[nodiscard]] std::vector<Series> run_microbenchmark(std::string_view name);

}  // namespace fa3prof::kernels
