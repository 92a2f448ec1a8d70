// NVIDIA's management library for one GPU: clocks, power, who else is on it. Opened at run time
// with the few declarations it takes, because toolkits come without nvml.h and the program must
// start on machines without a driver. Reads only; never changes a setting.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fa3prof::profile {

/// Words for the bits of nvmlDeviceGetCurrentClocksEventReasons: why the clock is below its
/// maximum. Empty for a GPU that merely idles. Worked example: 0x5 (idle and power) gives {"power
/// cap"}.
[[nodiscard]] std::vector<std::string> throttle_reasons(std::uint64_t bits);

/// One reading.
struct ClockSample {
  double sm_clock_mhz = 0.0;
  double power_watts = 0.0;  ///< on Hopper a mean over the last second
  double temperature_celsius = 0.0;
  std::uint64_t event_reasons = 0;
  std::chrono::steady_clock::time_point at = {};  ///< when it was read, by ClockMonitor
};

/// How many of `pids` are not the calling process, which is one of them. In a container NVML may
/// give pids of the host, where the caller's own cannot be told by number.
[[nodiscard]] int count_other_processes(const std::vector<unsigned>& pids, unsigned own_pid);

/// Version of the driver by NVML, or empty.
[[nodiscard]] std::string nvml_driver_version();

/// One GPU. Every question may go unanswered: old driver, virtual GPU, no permission.
class NvmlDevice {
 public:
  /// `uuid` as in core::Gpu: "GPU-...". Nothing without NVML or for a GPU it does not know.
  [[nodiscard]] static std::optional<NvmlDevice> open(const std::string& uuid);

  /// Nothing unless clock, power, temperature and reasons can all be read.
  [[nodiscard]] std::optional<ClockSample> sample() const;

  [[nodiscard]] std::optional<double> power_limit_watts() const;

  /// Processes with a compute context on the GPU.
  [[nodiscard]] std::optional<std::vector<unsigned>> compute_pids() const;

  [[nodiscard]] std::optional<bool> is_mig_enabled() const;

 private:
  explicit NvmlDevice(void* handle) : handle_(handle) {}

  void* handle_;
};

}  // namespace fa3prof::profile
