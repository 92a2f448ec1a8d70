// One request on one GPU: inputs, verification, timing, damage, counters, in this order.
#pragma once

#include "kernels/runtime/handles.h"
#include "src/profile/attention_buffers.h"
#include "src/profile/candidate.h"
#include "src/profile/event_timer.h"
#include "src/profile/measurement.h"
#include "src/profile/nvml.h"
#include "src/profile/profiler.h"
#include "src/profile/range_profiler.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace fa3prof::profile {

/// Runs `step`; a device error in it says during what it came up. Errors of kernels show at the
/// next wait, so `step` must end with one.
void name_device_errors(const std::string& what, const std::function<void()>& step);

class GpuRun {
 public:
  /// Chooses the GPU and plans every kernel. Both arguments must outlive it. Throws UsageError and
  /// UnavailableError as Profiler::run does.
  GpuRun(const RunRequest& request, const Progress& progress);

  /// Throws DeviceError; what was measured until then stays.
  void measure();

  /// Of the kernels that measure() has begun, in request order. Calls no device.
  [[nodiscard]] std::vector<core::Result> results() const;

  /// A launch never ended: whatever waits for the GPU, the destructor too, would wait for ever.
  [[nodiscard]] bool is_stuck() const { return is_stuck_; }

 private:
  /// One kernel of the request.
  struct Entrant {
    Candidate candidate;
    std::optional<GuardedBuffer> workspace = std::nullopt;
    std::optional<GuardedBuffer> quantized = std::nullopt;  ///< of a kernel that quantizes
    kernels::QuantizedTensors quantized_inputs = {};        ///< in it
    std::optional<Measurement> measurement = std::nullopt;  ///< nothing before its turn
    bool is_shut_out = false;  ///< shown as unsupported, for the candidate's reason
  };

  using Damage = std::optional<std::string>;

  void report(const std::string& step) const;
  void shut_out_what_does_not_fit();
  static void allocate_workspace(Entrant& entrant);
  void prepare_inputs();

  [[nodiscard]] Launch launcher(Entrant& entrant, const std::string& when);
  [[nodiscard]] Launch timed_launcher(Entrant& entrant);
  void launch_and_wait(Entrant& entrant, const std::string& when);
  void begin(Entrant& entrant);
  void verify(Entrant& entrant);
  void quantize(Entrant& entrant);
  [[nodiscard]] Damage find_damage(const Entrant& entrant) const;
  [[nodiscard]] Damage find_own_damage(const Entrant& entrant) const;

  [[nodiscard]] std::vector<Entrant*> passed();
  void time_in_turn(const std::vector<Entrant*>& entrants);
  void sample(const std::vector<Entrant*>& entrants, Sampler& sampler);
  void keep_samples(const std::vector<Entrant*>& entrants, const Sampler& sampler) const;
  void time_quantization(Entrant& entrant);
  void check_after_timing(const std::vector<Entrant*>& entrants);
  [[nodiscard]] Launch preparation(const Entrant& entrant, const Launch& launch);
  void trace();
  void trace(Entrant& entrant);
  void count();

  [[noreturn]] void fail_stuck(Entrant& entrant, const std::string& when);
  void fail(Entrant& entrant, const std::string& reason) const;

  const RunRequest& request_;
  const Progress& progress_;
  core::Gpu gpu_;
  std::vector<Entrant> entrants_;  // as request_.kernels
  std::size_t flush_bytes_ = 0;
  std::optional<NvmlDevice> nvml_;
  std::vector<ClockSample> clock_readings_;  // while the kernels were timed
  kernels::Stream stream_;
  kernels::Event done_;
  HostInputs inputs_;
  std::optional<AttentionBuffers> buffers_;
  Reference reference_;
  // Members, so that they are not destroyed where a stuck launch would never let them.
  std::optional<EventTimer> timer_;
  std::optional<RangeProfiler> counter_;
  bool is_stuck_ = false;
};

}  // namespace fa3prof::profile
