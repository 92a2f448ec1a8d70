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

/// Names the file of the library instead of the system's; for tests.
inline constexpr const char* kNvmlVariable = "FA3PROF_NVML";

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

  /// PCI device number of NVIDIA: 0x2330 is an H100 SXM5.
  [[nodiscard]] std::optional<int> pci_device_id() const;

  /// Processes with a compute context on the GPU, clients of MPS among them, in order. In a
  /// container those outside may be missing, or have the host's numbers.
  [[nodiscard]] std::optional<std::vector<unsigned>> compute_pids() const;

  /// Share of the last sampling period (up to a second) in which some kernel ran.
  [[nodiscard]] std::optional<double> busy_ratio() const;

  enum class Health { kNoComplaint, kLost, kNeedsReset };

  /// Whether the driver has given the GPU up.
  [[nodiscard]] Health health() const;

  [[nodiscard]] std::optional<bool> is_mig_enabled() const;

 private:
  friend class XidWatch;

  explicit NvmlDevice(void* handle) : handle_(handle) {}

  void* handle_;
};

/// How long after a failed call the driver may still report its Xid.
inline constexpr std::chrono::milliseconds kXidDelay{200};

/// The critical errors of a GPU (Xid numbers, as in the kernel log) from its construction on. Sees
/// none where NVML does not report them. Its event set lives until the process ends.
class XidWatch {
 public:
  explicit XidWatch(const NvmlDevice& device);

  /// In the order in which they came; waits kXidDelay for another.
  [[nodiscard]] std::vector<unsigned> seen();

 private:
  void* events_ = nullptr;
  std::vector<unsigned> seen_;
};

}  // namespace fa3prof::profile
