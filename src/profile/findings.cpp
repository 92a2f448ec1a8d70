#include "src/profile/findings.h"

#include "src/core/error.h"
#include "src/profile/cudnn.h"
#include "src/profile/host.h"
#include "src/profile/neighbours.h"

#include <fmt/format.h>

#include <utility>

namespace fa3prof::profile {

const std::string_view kCounterPermissionCure =
    "run as root (in a container with --cap-add=SYS_ADMIN), or let everyone read counters: put "
    "'options nvidia NVreg_RestrictProfilingToAdminUsers=0' into /etc/modprobe.d/nvidia.conf and "
    "reboot";

Finding found(std::string topic, std::string detail) {
  return {Finding::Severity::kOk, std::move(topic), std::move(detail), ""};
}

Finding warn(std::string topic, std::string detail, std::string cure) {
  return {Finding::Severity::kWarning, std::move(topic), std::move(detail), std::move(cure)};
}

Finding missing(std::string topic, std::string detail, std::string cure) {
  return {Finding::Severity::kMissing, std::move(topic), std::move(detail), std::move(cure)};
}

Finding driver_finding(const std::string& version) {
  if (!version.empty()) return found("NVIDIA driver", version);
  return missing("NVIDIA driver", "not found",
                 "install it, or in a container pass the GPU through (docker run --gpus all)");
}

Finding permission_finding(std::string_view params, std::string_view status) {
  const std::string topic = "counter permission";
  const auto is_restricted = parse_profiling_admin_only(params);
  if (is_restricted == false) return found(topic, "the driver lets every user read counters");
  if (parse_has_sys_admin(status)) return found(topic, "this process has CAP_SYS_ADMIN");
  if (!is_restricted) {
    return warn(topic, "not known: /proc/driver/nvidia/params does not say",
                "try `fa3prof run`; if it reports missing privileges, " +
                    std::string(kCounterPermissionCure));
  }
  return missing(topic, "the driver lets only administrators read counters",
                 std::string(kCounterPermissionCure));
}

Finding cudnn_finding() {
  const std::string topic = "cuDNN";
  try {
    const Cudnn cudnn = Cudnn::open();
    return found(topic, fmt::format("{}, {}", cudnn.version(), cudnn.path()));
  } catch (const core::UnavailableError& error) {
    return warn(topic, error.text(), error.cure() + "; only --kernel cudnn needs it");
  }
}

Finding clock_finding(const std::optional<ClockSample>& sample,
                      std::optional<double> power_limit_watts, double max_sm_clock_mhz) {
  const std::string topic = "clocks and power";
  if (!sample) {
    return warn(topic,
                fmt::format("max SM clock {:.0f} MHz; NVML cannot read more", max_sm_clock_mhz),
                "install libnvidia-ml.so.1 of the driver; without it reports lack clock and power");
  }
  const std::string limit =
      power_limit_watts ? fmt::format("{:.0f} W", *power_limit_watts) : "not known";
  return found(topic, fmt::format("SM clock {:.0f} of max {:.0f} MHz, {:.0f} W, power limit {}, "
                                  "{:.0f} C",
                                  sample->sm_clock_mhz, max_sm_clock_mhz, sample->power_watts,
                                  limit, sample->temperature_celsius));
}

Finding throttle_finding(const std::optional<ClockSample>& sample) {
  const std::string topic = "throttling now";
  if (!sample) return found(topic, "not known without NVML");
  const auto reasons = throttle_reasons(sample->event_reasons);
  if (reasons.empty()) return found(topic, "none");
  return warn(topic, fmt::format("{}", fmt::join(reasons, ", ")),
              "wait until the GPU is cool and idle, or expect lower clocks than usual");
}

Finding process_finding(const std::optional<std::vector<unsigned>>& pids, unsigned own_pid) {
  const std::string topic = "other processes";
  if (!pids) return found(topic, "not known without NVML");
  const int others = count_other_processes(*pids, own_pid);
  if (others == 0) return found(topic, "none on this GPU");
  return warn(topic, fmt::format("{} on this GPU", others),
              "stop them (nvidia-smi lists them): they share clocks, caches and bandwidth");
}

Finding mig_finding(std::optional<bool> is_enabled) {
  const std::string topic = "MIG mode";
  if (!is_enabled) return found(topic, "not supported or not known");
  if (!*is_enabled) return found(topic, "off");
  return warn(topic, "on: kernels see only a slice of the GPU, counters may be refused",
              "measure on a GPU without MIG");
}

}  // namespace fa3prof::profile
