// Lines of `fa3prof doctor` that every build can give; what takes CUDA is in doctor.h.
#pragma once

#include "src/profile/nvml.h"
#include "src/profile/profiler.h"

#include <optional>
#include <string>
#include <string_view>

namespace fa3prof::profile {

[[nodiscard]] Finding found(std::string topic, std::string detail);
[[nodiscard]] Finding warn(std::string topic, std::string detail, std::string cure);
[[nodiscard]] Finding missing(std::string topic, std::string detail, std::string cure);

/// How to be allowed to read counters.
extern const std::string_view kCounterPermissionCure;

/// The NVIDIA driver by its version; empty means there is none.
[[nodiscard]] Finding driver_finding(const std::string& version);

/// Whether the driver's settings let this process read counters, from two files of /proc.
[[nodiscard]] Finding permission_finding(std::string_view params, std::string_view status);

/// Clock now and at most, power limit.
[[nodiscard]] Finding clock_finding(const std::optional<ClockSample>& sample,
                                    std::optional<double> power_limit_watts,
                                    double max_sm_clock_mhz);

/// Whether something holds the clock back at this moment.
[[nodiscard]] Finding throttle_finding(const std::optional<ClockSample>& sample);

/// Others who compute on the GPU. `pids` include the caller.
[[nodiscard]] Finding process_finding(const std::optional<std::vector<unsigned>>& pids,
                                      unsigned own_pid);

/// cuDNN by version and path, or why it cannot be had; opens the library.
[[nodiscard]] Finding cudnn_finding();

[[nodiscard]] Finding mig_finding(std::optional<bool> is_enabled);

}  // namespace fa3prof::profile
