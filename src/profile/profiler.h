// From a request to measured results. Free of CUDA types: the program sees only this. CMake picks
// profiler_cuda.cpp or profiler_none.cpp behind make_profiler; tests put a fake in its place.
#pragma once

#include "src/core/attention_kernel.h"
#include "src/core/error.h"
#include "src/core/report.h"
#include "src/core/result.h"
#include "src/profile/cudnn.h"
#include "src/profile/plugin.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fa3prof::profile {

enum class CacheMode { kWarm, kCold };

/// How much the GPU does around the timed launches.
enum class TimingMode {
  kSustained,  ///< launch upon launch, so that the power control has answered: as in a long job
  kBurst,      ///< one launch after a pause, at the clock of a GPU that was idle
};

enum class VerifyMode { kSampled, kFull };
enum class CounterMode { kOff, kIfAvailable, kRequired };

/// One problem on one or more kernels.
struct RunRequest {
  /// Names of core::attention_kernels() or of `plugins`, or core::kCudnn.
  std::vector<std::string> kernels;
  std::vector<Plugin> plugins;  ///< only those that `kernels` names are run
  std::optional<Cudnn> cudnn;   ///< where `kernels` names it
  core::AttentionProblem problem;
  int device = 0;
  TimingMode mode = TimingMode::kSustained;
  /// Sustained: launches for at least so long first, and then until the clock is steady; 0: none.
  /// On an H200 under its cap the clock falls below its level and is back after some 2.5 s.
  std::chrono::milliseconds settle_time{3000};
  /// Burst: the GPU idles for so long before each timed launch, at least.
  std::chrono::milliseconds pause{50};
  int warmup_launches = 5;
  /// Rounds, each with one timed launch of every kernel; at least 20. Nothing: as many as bring
  /// every interval within 1 %, with limits.
  std::optional<int> samples;
  std::chrono::seconds launch_limit{60};  ///< a launch that takes longer is taken for stuck
  CacheMode cache = CacheMode::kWarm;
  VerifyMode verify = VerifyMode::kSampled;
  CounterMode counters = CounterMode::kIfAvailable;
  /// Also launches each kernel with stamps of its stages, in a pass of its own, and keeps those of
  /// these CTAs; an empty list leaves the choice.
  std::optional<std::vector<int>> trace_ctas;
  bool includes_quantization = false;  ///< in the time of a kernel that quantizes; else apart
  std::uint64_t seed = 1;              ///< of the N(0,1) inputs
  /// Called before each step and each timed launch; what it throws ends the run, whose results are
  /// then lost. May be empty.
  std::function<void()> check_stop = {};
};

/// Called with a phrase ("verifying fa3") when a step begins; may be empty.
using Progress = std::function<void(const std::string&)>;

/// One line of `fa3prof doctor`.
struct Finding {
  enum class Severity { kOk, kWarning, kMissing };

  Severity severity = Severity::kOk;
  std::string topic;   ///< "CUPTI counters"
  std::string detail;  ///< what was found
  std::string cure;    ///< what to do; empty when ok
};

/// A device error that ended a run after something had been measured.
class RunStopped : public core::Error {
 public:
  /// `code` is kUnavailable where the GPU is lost, which is nobody's fault here.
  RunStopped(const std::string& text, std::vector<core::Result> results,
             core::ExitCode code = core::ExitCode::kDeviceFailed)
      : core::Error(code, text), results_(std::move(results)) {}

  /// As Profiler::run returns them, for the kernels that had begun: without a time where none was
  /// taken, and failed for the kernel to blame, where that is known.
  [[nodiscard]] const std::vector<core::Result>& results() const noexcept { return results_; }

 private:
  std::vector<core::Result> results_;
};

class Profiler {
 public:
  virtual ~Profiler() = default;

  /// This host and build, and the GPU `device` if there is one. Never throws for a missing GPU.
  [[nodiscard]] virtual core::Environment environment(int device) = 0;

  /// GPUs of this host that CUDA shows to this process; 0 where there is none or no driver.
  [[nodiscard]] virtual int count_devices() = 0;

  /// Everything that `run` depends on, each found or missing. Never throws for what is missing.
  [[nodiscard]] virtual std::vector<Finding> diagnose(int device) = 0;

  /// Verifies, times and counts each kernel; one measured Result per kernel, in request order.
  /// A kernel that fails verification, writes where it must not or fails to launch has
  /// verification->passed false and no time. One that turns out not to take the problem on this GPU
  /// (cuDNN has no engine, a workspace does not fit) has unsupported_reason. Throws UsageError for
  /// an unsupported problem, UnavailableError without a fitting GPU or memory for the tensors, and
  /// RunStopped or DeviceError when a device call fails, a launch never ends or counters are
  /// required but cannot be had.
  [[nodiscard]] virtual std::vector<core::Result> run(const RunRequest& request,
                                                      const Progress& progress) = 0;
};

/// The profiler that this build has.
[[nodiscard]] std::unique_ptr<Profiler> make_profiler();

/// Counter keys that `run` can report, with the hardware metric behind each.
struct MetricDescription {
  std::string key;     ///< "tensor_active_ratio"
  std::string source;  ///< CUPTI metric: "sm__pipe_tensor_cycles_active.avg..."
  std::string meaning;
};

/// What `fa3prof list --metrics` prints; the same in every build.
[[nodiscard]] std::vector<MetricDescription> describe_metrics();

}  // namespace fa3prof::profile
