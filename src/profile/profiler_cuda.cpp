// The profiler of a build with CUDA: one problem through verification, timing and counting.
#include "kernels/attention.h"
#include "kernels/runtime/handles.h"
#include "src/core/error.h"
#include "src/core/statistics.h"
#include "src/profile/attention_buffers.h"
#include "src/profile/candidate.h"
#include "src/profile/clock_monitor.h"
#include "src/profile/device.h"
#include "src/profile/doctor.h"
#include "src/profile/event_timer.h"
#include "src/profile/host.h"
#include "src/profile/measurement.h"
#include "src/profile/memory.h"
#include "src/profile/profiler.h"
#include "src/profile/range_profiler.h"
#include "src/profile/request_check.h"
#include "src/profile/verification.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <span>
#include <unistd.h>

namespace fa3prof::profile {
namespace {

constexpr std::chrono::milliseconds kSettleTime(1000);
constexpr double kBusyUs = 20e3;  // power control settles within a few milliseconds
constexpr double kMaxBusyLaunches = 64.0;

/// Runs `step`; a device error in it says during what it came up. Errors of kernels show at the
/// next wait, so `what` must end with one.
void name_device_errors(const std::string& what, const std::function<void()>& step) {
  try {
    step();
  } catch (const core::DeviceError& error) {
    throw core::DeviceError(error.what(), "while " + what);
  }
}

/// One request on one GPU.
class Run {
 public:
  Run(const RunRequest& request, const Progress& progress)
      : request_(request), progress_(progress) {
    check_request(request);
    gpu_ = describe_gpu(request.device);
    require_capability(request, gpu_);
    use_gpu(request.device);
    candidates_ = make_candidates(request);
    if (request.cache == CacheMode::kCold) {
      flush_bytes_ = flush_bytes(static_cast<std::size_t>(gpu_.l2_bytes));
    }
    require_memory(request.problem,
                   tensor_bytes(request.problem) + workspace_bytes() +
                       static_cast<double>(flush_bytes_) + kReservedBytes,
                   free_memory_bytes());
    nvml_ = NvmlDevice::open(gpu_.uuid);
  }

  std::vector<core::Result> measure() {
    stream_ = kernels::make_stream();
    prepare_inputs();
    for (const Candidate& candidate : candidates_) verify_candidate(candidate);
    time_candidates();
    count_candidates();
    std::vector<core::Result> results;
    for (const Measurement& measurement : measurements_) {
      results.push_back(make_result(measurement, gpu_));
    }
    return results;
  }

 private:
  /// What modules, local memory and counters may take besides the tensors.
  static constexpr double kReservedBytes = 256e6;

  void report(const std::string& step) const {
    if (progress_) progress_(step);
  }

  [[nodiscard]] double workspace_bytes() const {
    double bytes = 0.0;
    for (const Candidate& candidate : candidates_) {
      bytes += static_cast<double>(candidate.workspace_bytes);
    }
    return bytes;
  }

  void prepare_inputs() {
    report("generating inputs");
    inputs_ = make_inputs(request_.problem, request_.seed);
    buffers_.emplace(request_.problem, inputs_);
    report("computing the FP64 reference");
    reference_.rows = choose_rows(request_.problem, request_.verify);
    reference_.values =
        numerics::reference_rows(request_.problem, inputs_.tensors(), reference_.rows);
  }

  /// A launch that fails takes its kernel out of the run, and every later one does nothing.
  [[nodiscard]] Launch launcher(std::size_t index, const std::string& when) {
    return [this, index, when] {
      Measurement& measurement = measurements_[index];
      if (!measurement.verification.passed) return;
      kernels::AttentionTensors tensors = buffers_->tensors();
      tensors.workspace = workspaces_[index].get();
      const auto failure = candidates_[index].launch(tensors, stream_.get());
      if (!failure) return;
      measurement.verification = failed_verification(request_.problem, *failure + when);
    };
  }

  void verify_candidate(const Candidate& candidate) {
    const std::size_t index = measurements_.size();
    Measurement& measurement = measurements_.emplace_back();
    workspaces_.emplace_back(candidate.workspace_bytes);
    measurement.kernel = candidate.name;
    measurement.kernel_version = candidate.version;
    measurement.problem = request_.problem;
    measurement.cache = request_.cache == CacheMode::kCold ? "cold" : "warm";
    if (candidate.describe) {
      const auto description = candidate.describe();
      measurement.launch = to_launch(description);
      measurement.local_memory_bytes = description.local_memory_bytes;
    }
    const std::string step = fmt::format("verifying {}", candidate.name);
    report(step);
    name_device_errors(step, [this, index] { verify_launch(index); });
    use_gpu(request_.device);  // a plugin may have chosen another
  }

  void verify_launch(std::size_t index) {
    core::Verification& verdict = measurements_[index].verification;
    buffers_->poison_outputs(stream_.get());
    workspaces_[index].restore_guards(stream_.get());
    verdict.passed = true;  // until shown otherwise
    launcher(index, "")();
    const Output output = buffers_->download(stream_.get());
    if (verdict.passed) verdict = verify(request_.problem, reference_, output);
    auto damage = buffers_->find_damage(stream_.get());
    if (!damage) damage = workspaces_[index].find_overwrite("the workspace", stream_.get());
    if (!damage) return;
    verdict.passed = false;
    verdict.failure = *damage;
  }

  /// Indices of the kernels that may show a speed.
  [[nodiscard]] std::vector<std::size_t> passed() const {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < measurements_.size(); ++i) {
      if (measurements_[i].verification.passed) indices.push_back(i);
    }
    return indices;
  }

  /// Launches until the power control has settled and NVML's averages speak of this load. Without
  /// it the first samples run at a higher clock than the rest.
  void settle_clock(LaunchTimer& timer, std::span<const Launch> launches) const {
    const auto end = std::chrono::steady_clock::now() + kSettleTime;
    while (std::chrono::steady_clock::now() < end) {
      warm_up(timer, launches, {1, request_.cache});
      kernels::cuda_check(cudaStreamSynchronize(stream_.get()));
    }
  }

  /// "fa2, fa3": a device error while several run cannot be pinned on one.
  [[nodiscard]] std::string names_of(const std::vector<std::size_t>& indices) const {
    std::vector<std::string> names;
    for (const std::size_t i : indices) names.push_back(candidates_[i].name);
    return fmt::format("{}", fmt::join(names, ", "));
  }

  void time_candidates() {
    const auto indices = passed();
    if (indices.empty()) return;
    report("timing");
    name_device_errors("timing " + names_of(indices), [this, &indices] { time_in_turn(indices); });
    for (const std::size_t i : indices) drop_speed_of_failed(measurements_[i]);
  }

  void time_in_turn(const std::vector<std::size_t>& indices) {
    std::vector<Launch> launches;
    for (const std::size_t i : indices) launches.push_back(launcher(i, " (while timing)"));
    EventTimer timer(stream_.get(), flush_bytes_);
    settle_clock(timer, launches);
    warm_up(timer, launches, {request_.warmup_launches, request_.cache});
    ClockMonitor monitor(nvml_ ? [this] { return nvml_->sample(); } : ClockMonitor::Source());
    const auto samples = sample(timer, launches, {request_.samples, request_.cache});
    const auto clocks = monitor.finish();
    const auto pids = nvml_ ? nvml_->compute_pids() : std::nullopt;
    for (std::size_t slot = 0; slot < indices.size(); ++slot) {
      Measurement& measurement = measurements_[indices[slot]];
      for (const TimedLaunch& timed : samples[slot]) {
        measurement.samples_us.push_back(timed.duration_us);
        if (timed.clock_mhz) measurement.samples_clock_mhz.push_back(*timed.clock_mhz);
      }
      measurement.clocks = clocks;
      measurement.other_processes =
          pids ? count_other_processes(*pids, static_cast<unsigned>(getpid())) : 0;
    }
  }

  static void drop_speed_of_failed(Measurement& measurement) {
    if (measurement.verification.passed) return;
    measurement.samples_us.clear();
    measurement.samples_clock_mhz.clear();
    measurement.clocks.reset();
    measurement.counters = {};
  }

  /// Keeps the GPU as busy as timing did, so that the counted launch finds the same clock and
  /// cache.
  [[nodiscard]] Launch preparation(const Measurement& measurement, const Launch& launch,
                                   EventTimer& flusher) const {
    const double launches = kBusyUs / core::median(measurement.samples_us);
    const int count = static_cast<int>(std::clamp(launches, 1.0, kMaxBusyLaunches));
    return [count, launch, &flusher, is_cold = request_.cache == CacheMode::kCold] {
      for (int i = 0; i < count; ++i) launch();
      if (is_cold) flusher.flush_cache();
    };
  }

  /// After all timing, because CUPTI stays hooked into the driver.
  void count_candidates() {
    if (request_.counters == CounterMode::kOff) return;
    RangeProfiler profiler(request_.device);
    EventTimer flusher(stream_.get(), flush_bytes_);
    for (const std::size_t i : passed()) {
      const std::string step = fmt::format("counting {}", candidates_[i].name);
      report(step);
      const Launch launch = launcher(i, " (while counting)");
      Measurement& measurement = measurements_[i];
      name_device_errors(step, [&] {
        measurement.counters = profiler.collect(preparation(measurement, launch, flusher), launch);
      });
      drop_speed_of_failed(measurement);
      const core::Counters& counters = measurement.counters;
      if (counters.status == core::Counters::Status::kUnavailable &&
          request_.counters == CounterMode::kRequired) {
        throw core::DeviceError(fmt::format("counters are required but unavailable: {}; {}",
                                            counters.reason, counters.cure),
                                "CUPTI range profiler");
      }
    }
  }

  const RunRequest& request_;
  const Progress& progress_;
  std::vector<Candidate> candidates_;
  core::Gpu gpu_;
  std::size_t flush_bytes_ = 0;
  std::optional<NvmlDevice> nvml_;
  kernels::Stream stream_;
  HostInputs inputs_;
  std::optional<AttentionBuffers> buffers_;
  Reference reference_;
  std::vector<GuardedBuffer> workspaces_;  // as candidates_
  std::vector<Measurement> measurements_;  // as candidates_
};

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
      return Run(request, progress).measure();
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
