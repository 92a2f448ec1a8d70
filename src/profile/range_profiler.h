// Hardware counters of one launch, through CUPTI's range profiler. CMake picks range_profiler.cpp,
// or range_profiler_none.cpp where the toolkit has no such header (before CUDA 12.6).
#pragma once

#include "src/core/result.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace fa3prof::profile {

/// Counts launches on one GPU. CUPTI hooks into the driver from the first call on and may slow
/// later launches down, so everything that is timed must be done before. Clocks are left as they
/// are.
class RangeProfiler {
 public:
  /// Only remembers `device`, which must be the current one when the others are called.
  explicit RangeProfiler(int device);
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;
  ~RangeProfiler();

  /// Runs `prepare`, uncounted, then `launch`, counted, once per pass, waiting after each. `launch`
  /// must enqueue exactly one kernel and give the same result each time. Everything that CUPTI
  /// refuses ends as kUnavailable with reason and cure; what the two functions throw passes
  /// through.
  [[nodiscard]] core::Counters collect(const std::function<void()>& prepare,
                                       const std::function<void()>& launch);

  /// Path of libcupti, or nothing when it cannot be opened.
  [[nodiscard]] static std::optional<std::string> library_path();

  /// Switches profiling on and off again: kCollected without values if that is allowed here.
  [[nodiscard]] core::Counters probe();

 private:
  class Session;
  int device_;
  std::unique_ptr<Session> session_;
};

}  // namespace fa3prof::profile
