// The profiler of a build with CUDA.
#include "src/core/error.h"
#include "src/profile/device.h"
#include "src/profile/doctor.h"
#include "src/profile/gpu_run.h"
#include "src/profile/host.h"
#include "src/profile/lost_gpu.h"
#include "src/profile/neighbours.h"
#include "src/profile/nvml.h"
#include "src/profile/profiler.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <new>
#include <optional>
#include <utility>

namespace fa3prof::profile {
namespace {

/// What NVML knows of the GPU, from before the first launch on.
struct Watch {
  NvmlDevice device;
  XidWatch xids;
  std::optional<std::string> busy_warning;
};

std::optional<Watch> watch_gpu(int device) {
  const auto nvml = NvmlDevice::open(describe_gpu(device).uuid);
  if (!nvml) return std::nullopt;
  const auto busy_ratio = lowest_busy_ratio([&nvml] { return nvml->busy_ratio(); });
  return Watch{.device = *nvml, .xids = XidWatch(*nvml), .busy_warning = busy_warning(busy_ratio)};
}

/// `error` as the end of a run with `results`: in words of its own where the GPU is lost.
RunStopped stopped_by(const core::DeviceError& error, std::vector<core::Result> results,
                      std::optional<Watch>& watch) {
  const std::string cuda_error = sticky_error();
  DeviceSymptoms symptoms{.cuda_error = cuda_error};
  if (watch) {
    symptoms.health = watch->device.health();
    symptoms.xids = watch->xids.seen();
  }
  const auto loss = why_lost(symptoms);
  if (!loss) return {error.what() + xid_text(symptoms.xids), std::move(results)};
  return {fmt::format("the GPU was lost: {}; it came up as {}{}; look into the kernel log (dmesg) "
                      "and reset the GPU (nvidia-smi --gpu-reset) or the machine",
                      *loss, error.what(), xid_text(symptoms.xids)),
          std::move(results), core::ExitCode::kUnavailable};
}

std::vector<core::Result> measure(const RunRequest& request, const Progress& progress,
                                  std::optional<Watch>& watch) {
  std::unique_ptr<GpuRun> run;
  try {
    run = std::make_unique<GpuRun>(request, progress);
    if (!watch) watch = watch_gpu(request.device);
    run->measure();
    return run->results();
  } catch (const core::DeviceError& error) {
    RunStopped stopped =
        stopped_by(error, run ? run->results() : std::vector<core::Result>{}, watch);
    // Freeing what a stuck launch uses waits for it; only the end of the process frees it.
    if (run && run->is_stuck()) static_cast<void>(run.release());
    throw stopped;
  }
}

class CudaProfiler final : public Profiler {
 public:
  core::Environment environment(int device) override {
    core::Environment environment = host_environment();
    try {
      environment.gpu = describe_gpu(device);
    } catch (const core::UnavailableError&) {
      environment.gpu.reset();
    }
    return environment;
  }

  int count_devices() override { return count_gpus(); }

  std::vector<Finding> diagnose(int device) override { return diagnose_gpu(device); }

  std::vector<core::Result> run(const RunRequest& request, const Progress& progress) override {
    try {
      std::optional<Watch>& watch = watches_[request.device];
      std::vector<core::Result> results = measure(request, progress, watch);
      if (watch && watch->busy_warning) warn_of_busy_gpu(*watch->busy_warning, results);
      return results;
    } catch (const std::bad_alloc&) {
      throw core::UnavailableError(fmt::format("host memory for the inputs of {} is not there",
                                               core::describe(request.problem)),
                                   "use a shorter --seq, or fewer --batch or --heads");
    }
  }

 private:
  /// Of the whole run: who was there before its first problem may still be.
  static void warn_of_busy_gpu(const std::string& warning, std::vector<core::Result>& results) {
    for (core::Result& result : results) {
      if (result.time_us) result.warnings.push_back(warning);
    }
  }

  std::map<int, std::optional<Watch>> watches_;  // by GPU: each from before its first launch on
};

}  // namespace

std::unique_ptr<Profiler> make_profiler() { return std::make_unique<CudaProfiler>(); }

}  // namespace fa3prof::profile
