#include "src/profile/doctor.h"

#include "src/core/attention_kernel.h"
#include "src/core/error.h"
#include "src/profile/device.h"
#include "src/profile/findings.h"
#include "src/profile/host.h"
#include "src/profile/nvml.h"
#include "src/profile/range_profiler.h"

#include <fmt/format.h>

#include <unistd.h>
#include <utility>

namespace fa3prof::profile {
namespace {

constexpr double kGb = 1e9;

Finding kernels_finding() {
  std::string names;
  for (const core::AttentionKernel& kernel : core::attention_kernels()) {
    if (!names.empty()) names += ", ";
    names += kernel.name;
  }
  return found("kernels", fmt::format("{} (CUDA {})", names, host_environment().cuda_toolkit));
}

Finding gpu_finding(const core::Gpu& gpu, int device) {
  return found("GPU",
               fmt::format("{} {}, {} SM, {:.0f} GB, of which {:.0f} GB free", device, gpu.name,
                           gpu.sm_count, static_cast<double>(gpu.memory_bytes) / kGb,
                           free_memory_bytes() / kGb));
}

Finding capability_finding(const core::Gpu& gpu) {
  const std::string topic = "compute capability";
  std::string refusals;
  for (const core::AttentionKernel& kernel : core::attention_kernels()) {
    const auto refusal = core::why_unsupported(kernel, gpu.capability);
    if (!refusal) continue;
    if (!refusals.empty()) refusals += "; ";
    refusals += *refusal;
  }
  const std::string version = fmt::format("{}.{}", gpu.capability.major, gpu.capability.minor);
  if (refusals.empty()) return found(topic, version + ", every kernel runs");
  return warn(topic, refusals, "measure on a Hopper GPU (H100, H200), or choose other --kernel");
}

Finding library_finding() {
  const std::string topic = "CUPTI library";
  if (const auto path = RangeProfiler::library_path()) return found(topic, *path);
  return missing(topic, "libcupti was not found",
                 "install CUPTI of CUDA 12.6 or newer, or put its folder on LD_LIBRARY_PATH");
}

/// What the counters themselves say beats what the driver's settings let expect.
Finding counter_finding(int device) {
  const std::string topic = "counter permission";
  const core::Counters counters = RangeProfiler(device).probe();
  if (counters.status == core::Counters::Status::kCollected) {
    return found(topic, fmt::format("counters can be read, in {} passes", counters.passes));
  }
  return missing(topic, counters.reason, counters.cure);
}

void add_gpu_findings(int device, std::vector<Finding>& findings) {
  const core::Gpu gpu = describe_gpu(device);
  use_gpu(device);
  findings.push_back(gpu_finding(gpu, device));
  findings.push_back(capability_finding(gpu));
  const auto nvml = NvmlDevice::open(gpu.uuid);
  const auto sample = nvml ? nvml->sample() : std::nullopt;
  const auto power_limit = nvml ? nvml->power_limit_watts() : std::nullopt;
  findings.push_back(mig_finding(nvml ? nvml->is_mig_enabled() : std::nullopt));
  findings.push_back(clock_finding(sample, power_limit, gpu.max_sm_clock_mhz));
  findings.push_back(throttle_finding(sample));
  findings.push_back(
      process_finding(nvml ? nvml->compute_pids() : std::nullopt, static_cast<unsigned>(getpid())));
  findings.push_back(library_finding());
  findings.push_back(counter_finding(device));
  findings.push_back(cudnn_finding());
}

void add_findings_without_gpu(Finding gpu, std::vector<Finding>& findings) {
  findings.push_back(std::move(gpu));
  findings.push_back(library_finding());
  findings.push_back(
      permission_finding(read_text("/proc/driver/nvidia/params"), read_text("/proc/self/status")));
  findings.push_back(cudnn_finding());
}

}  // namespace

std::vector<Finding> diagnose_gpu(int device) {
  std::vector<Finding> findings{kernels_finding(), driver_finding(host_environment().driver)};
  if (const auto no_gpu = why_no_gpu()) {
    add_findings_without_gpu(missing("GPU", no_gpu->reason, no_gpu->cure), findings);
    return findings;
  }
  try {
    add_gpu_findings(device, findings);
  } catch (const core::Error& error) {
    add_findings_without_gpu(
        missing("GPU", error.what(), "choose another --device, see nvidia-smi"), findings);
  }
  return findings;
}

}  // namespace fa3prof::profile
