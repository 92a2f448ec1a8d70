// The profiler of a build without CUDA: says so, and how to get one that measures.
#include "src/core/error.h"
#include "src/profile/findings.h"
#include "src/profile/host.h"
#include "src/profile/profiler.h"

namespace fa3prof::profile {
namespace {

constexpr const char* kCure =
    "build with CUDA 12.3 or newer: put nvcc on PATH and configure with -DFA3PROF_CUDA=ON";

class NoProfiler final : public Profiler {
 public:
  core::Environment environment(int) override { return host_environment(); }

  int count_devices() override { return 0; }

  std::vector<Finding> diagnose(int) override {
    return {driver_finding(host_environment().driver),
            missing("kernels", "this build has none: it was made without CUDA", kCure)};
  }

  std::vector<core::Result> run(const RunRequest&, const Progress&) override {
    throw core::UnavailableError("this build has no kernels: it was made without CUDA", kCure);
  }
};

}  // namespace

std::unique_ptr<Profiler> make_profiler() { return std::make_unique<NoProfiler>(); }

}  // namespace fa3prof::profile
