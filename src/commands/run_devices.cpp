#include "src/commands/run_devices.h"

#include "src/commands/run.h"
#include "src/core/error.h"

#include <fmt/format.h>

namespace fa3prof::commands {
namespace {

/// What no setting changes; the power limit may differ, which the table shows.
std::string kind_of(const core::Gpu& gpu) {
  return fmt::format("{} with {} SMs up to {:.0f} MHz", gpu.name, gpu.sm_count,
                     gpu.max_sm_clock_mhz);
}

}  // namespace

std::vector<core::Device> all_devices(profile::Profiler& profiler, core::Environment& environment) {
  const int count = profiler.count_devices();
  if (count == 0) {
    throw core::UnavailableError("--device all: there is no GPU",
                                 "see what is missing with fa3prof doctor");
  }
  environment = profiler.environment(0);
  std::vector<core::Device> devices;
  for (int index = 0; index < count; ++index) {
    const core::Gpu gpu = profiler.environment(index).gpu.value_or(core::Gpu());
    const std::string kind = kind_of(gpu);
    const std::string first = environment.gpu ? kind_of(*environment.gpu) : kind;
    if (kind != first) {
      throw core::UsageError(fmt::format(
          "--device all: GPU 0 is a {}, and GPU {} a {}; measure each kind by itself (--device N, "
          "or CUDA_VISIBLE_DEVICES)",
          first, index, kind));
    }
    devices.push_back(
        {.index = index, .uuid = gpu.uuid, .power_limit_watts = gpu.power_limit_watts});
  }
  if (count > 1 && environment.gpu) environment.gpu->uuid.clear();
  return devices;
}

void refuse_one_gpu_views(const RunOptions& options) {
  const char* view = options.request.trace_ctas     ? "--trace and --breakdown"
                     : options.is_ablation          ? "--ablation"
                     : options.compares_generations ? "--generations"
                                                    : nullptr;
  if (view == nullptr) return;
  throw core::UsageError(fmt::format("{} can show one GPU; name it with --device N", view));
}

}  // namespace fa3prof::commands
