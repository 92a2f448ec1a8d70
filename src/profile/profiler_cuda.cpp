// The profiler of a build with CUDA.
#include "src/core/error.h"
#include "src/profile/device.h"
#include "src/profile/doctor.h"
#include "src/profile/gpu_run.h"
#include "src/profile/host.h"
#include "src/profile/profiler.h"

#include <fmt/format.h>

#include <memory>
#include <new>

namespace fa3prof::profile {
namespace {

std::vector<core::Result> measure(const RunRequest& request, const Progress& progress) {
  auto run = std::make_unique<GpuRun>(request, progress);
  try {
    run->measure();
    return run->results();
  } catch (const core::DeviceError& error) {
    RunStopped stopped(error.what(), run->results());
    // Freeing what a stuck launch uses waits for it; only the end of the process frees it.
    if (run->is_stuck()) static_cast<void>(run.release());
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

  std::vector<Finding> diagnose(int device) override { return diagnose_gpu(device); }

  std::vector<core::Result> run(const RunRequest& request, const Progress& progress) override {
    try {
      return measure(request, progress);
    } catch (const std::bad_alloc&) {
      throw core::UnavailableError(fmt::format("host memory for the inputs of {} is not there",
                                               core::describe(request.problem)),
                                   "use a shorter --seq, or fewer --batch or --heads");
    }
  }
};

}  // namespace

std::unique_ptr<Profiler> make_profiler() { return std::make_unique<CudaProfiler>(); }

}  // namespace fa3prof::profile
