#include "src/profile/cupti_library.h"

#include "src/profile/counter_error.h"
#include "src/profile/findings.h"

#include <fmt/format.h>

#include <cupti_result.h>

#include <array>
#include <cstdlib>
#include <vector>

namespace fa3prof::profile {
namespace {

/// The loader's own search first, then where toolkits put the library.
std::vector<std::string> candidates() {
  std::vector<std::string> folders{""};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* root = std::getenv(variable);
    if (root == nullptr || *root == '\0') continue;
    folders.push_back(std::string(root) + "/lib64/");
    folders.push_back(std::string(root) + "/extras/CUPTI/lib64/");
  }
  folders.insert(folders.end(), {"/usr/local/cuda/lib64/", "/usr/local/cuda/extras/CUPTI/lib64/",
                                 "/usr/local/cuda/targets/x86_64-linux/lib/",
                                 "/usr/local/cuda/targets/sbsa-linux/lib/"});
  std::vector<std::string> paths;
  for (const char* name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so"}) {
    for (const std::string& folder : folders) paths.push_back(folder + name);
  }
  return paths;
}

/// CUPTI opens libnvperf_host.so by its bare name, which fails where the loader does not search
/// CUPTI's folder; a library of that name that is open already is taken instead.
void open_companion(const std::string& cupti_path) {
  const auto slash = cupti_path.rfind('/');
  if (slash == std::string::npos) return;
  const std::array<std::string, 1> path{cupti_path.substr(0, slash + 1) + "libnvperf_host.so"};
  static_cast<void>(DynamicLibrary::open(path));
}

DynamicLibrary load() {
  const auto library = DynamicLibrary::open(candidates());
  if (!library) {
    throw CounterError("libcupti was not found",
                       "install CUPTI of CUDA 12.6 or newer, or put its folder on LD_LIBRARY_PATH");
  }
  open_companion(library->path());
  return *library;
}

/// "CUPTI_ERROR_UNKNOWN"
std::string name_of(CUptiResult status) {
  const char* name = nullptr;
  auto* get = cupti_library().find<decltype(cuptiGetResultString)>("cuptiGetResultString");
  const bool is_known = get != nullptr && get(status, &name) == CUPTI_SUCCESS && name != nullptr;
  return is_known ? name : "an unknown status";
}

std::string cure_of(CUptiResult status) {
  switch (status) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
      return std::string(kCounterPermissionCure);
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
    case CUPTI_ERROR_HARDWARE_BUSY:
      return "stop the other profiler on this GPU (Nsight, a framework's profiler, DCGM: `dcgmi "
             "profile --pause`)";
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
      return "enable profiling for this virtual GPU in its host, or measure on a whole GPU";
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
      return "measure on a GPU without MIG";
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
      return "measure with confidential computing switched off";
    case CUPTI_ERROR_OUT_OF_MEMORY:
      return "measure a smaller problem";
    default:
      return "check with `fa3prof doctor`; driver and CUPTI should be of the same CUDA release";
  }
}

}  // namespace

const DynamicLibrary& cupti_library() {
  static const DynamicLibrary library = load();
  return library;
}

void cupti_check(int status, const char* call) {
  if (status == kCuptiFunctionMissing) {
    throw CounterError(fmt::format("{} has no {}", cupti_library().path(), call),
                       "install CUPTI of CUDA 12.6 or newer");
  }
  const auto result = static_cast<CUptiResult>(status);
  if (result == CUPTI_SUCCESS) return;
  throw CounterError(fmt::format("{} gave {} ({})", call, name_of(result), status),
                     cure_of(result));
}

}  // namespace fa3prof::profile
