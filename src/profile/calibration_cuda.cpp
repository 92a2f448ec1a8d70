// Calibration in a build with CUDA.
#include "src/core/error.h"
#include "src/profile/calibration.h"
#include "src/profile/device.h"

#include <fmt/format.h>

#include <utility>

namespace fa3prof::profile {
namespace {

/// The microbenchmarks are compiled for sm_90a alone.
void require_hopper(int device) {
  const core::Gpu gpu = describe_gpu(device);
  if (gpu.capability == core::ComputeCapability{.major = 9, .minor = 0}) return;
  throw core::UnavailableError(
      fmt::format("the microbenchmarks need compute capability 9.0, and {} has {}.{}", gpu.name,
                  gpu.capability.major, gpu.capability.minor),
      "calibrate on an H100, H200 or GH200");
}

}  // namespace

std::vector<Series> measure_machine(const CalibrationRequest& request,
                                    const CalibrationProgress& progress) {
  require_hopper(request.device);
  use_gpu(request.device);
  const std::vector<std::string> names =
      request.benchmarks.empty() ? benchmark_names() : request.benchmarks;
  std::vector<Series> all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    progress(i, names.size(), names[i]);
    for (Series& series : kernels::run_microbenchmark(names[i])) all.push_back(std::move(series));
  }
  return all;
}

}  // namespace fa3prof::profile
