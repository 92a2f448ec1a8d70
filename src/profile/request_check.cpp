#include "src/profile/request_check.h"

#include "src/core/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace fa3prof::profile {
namespace {

constexpr int kMinSamples = 20;

bool is_cudnn(const RunRequest& request, const std::string& name) {
  return name == core::kCudnn && request.cudnn.has_value();
}

std::optional<std::string> why_unsupported(const RunRequest& request, const std::string& name) {
  if (is_cudnn(request, name)) return request.cudnn->why_unsupported(request.problem);
  if (const Plugin* plugin = find_plugin(request, name)) {
    return plugin->why_unsupported(request.problem);
  }
  return core::why_unsupported(core::find_kernel(name), request.problem);
}

}  // namespace

const Plugin* find_plugin(const RunRequest& request, const std::string& name) {
  const auto found = std::ranges::find(request.plugins, name, &Plugin::name);
  return found == request.plugins.end() ? nullptr : &*found;
}

/// Throws UsageError for what no GPU could serve.
void check_request(const RunRequest& request) {
  if (request.kernels.empty()) throw core::UsageError("no kernel was asked for, see --kernel");
  if (request.samples && *request.samples < kMinSamples) {
    throw core::UsageError(fmt::format("--samples {}: at least {} are needed for an interval",
                                       *request.samples, kMinSamples));
  }
  core::validate(request.problem);
  for (const std::string& name : request.kernels) {
    if (const auto refusal = why_unsupported(request, name)) throw core::UsageError(*refusal);
  }
}

/// A plugin's needs are known to its own launch only.
void require_capability(const RunRequest& request, const core::Gpu& gpu) {
  for (const std::string& name : request.kernels) {
    if (is_cudnn(request, name) || find_plugin(request, name) != nullptr) continue;
    const auto refusal = core::why_unsupported(core::find_kernel(name), gpu.capability);
    if (refusal) {
      throw core::UnavailableError(*refusal + " (" + gpu.name + ")",
                                   "leave it out with --kernel, or use a Hopper GPU");
    }
  }
}

}  // namespace fa3prof::profile
