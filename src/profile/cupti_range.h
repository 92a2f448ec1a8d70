// CUPTI's range profiler on the current CUDA context: its objects as owners, its calls as members.
// Knows no metric by name and nothing of our results.
#pragma once

#include "src/profile/metric_plan.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

struct CUpti_RangeProfiler_Object;

namespace fa3prof::profile {

/// CUPTI's profiling interface, switched on from construction to destruction. CUDA must be running.
class CuptiProfiling {
 public:
  CuptiProfiling();
  CuptiProfiling(const CuptiProfiling&) = delete;
  CuptiProfiling& operator=(const CuptiProfiling&) = delete;
  ~CuptiProfiling();
};

/// Throws CounterError that names the obstacle (virtual GPU, confidential computing, ...).
void require_profiling_supported(int device);

/// CUPTI's name of the chip: "GH100".
[[nodiscard]] std::string chip_name(int device);

/// Which of the chip's counters this GPU lets the current context read. Fails while a CuptiRange is
/// open.
[[nodiscard]] std::vector<std::uint8_t> availability_image();

/// Range profiling of the current context, enabled from construction to destruction. Each kernel
/// between start() and stop() is a range; the counter data have room for two.
class CuptiRange {
 public:
  CuptiRange();
  CuptiRange(const CuptiRange&) = delete;
  CuptiRange& operator=(const CuptiRange&) = delete;
  ~CuptiRange();

  /// Empty counter data, laid out for the counters of `plan`.
  [[nodiscard]] std::vector<std::uint8_t> make_counter_data(const MetricPlan& plan) const;

  /// Collects the counters of `plan` into `counter_data`. Both must outlive decode().
  void configure(const MetricPlan& plan, std::vector<std::uint8_t>& counter_data) const;

  void start() const;

  /// Ends a pass; true when no further one is needed.
  [[nodiscard]] bool stop() const;

  /// Fills the counter data given to configure(). Throws CounterError unless every pass saw exactly
  /// one kernel; more than one are told apart from none.
  void decode(std::span<const std::uint8_t> counter_data) const;

 private:
  CUpti_RangeProfiler_Object* object_ = nullptr;
};

}  // namespace fa3prof::profile
