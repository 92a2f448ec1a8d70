// The profiler of a build with CUDA: one problem through verification, timing and counting.
#include "kernels/attention.h"
#include "kernels/runtime/handles.h"
#include "src/core/error.h"
#include "src/core/statistics.h"
#include "src/profile/attention_buffers.h"
#include "src/profile/clock_monitor.h"
#include "src/profile/device.h"
#include "src/profile/doctor.h"
#include "src/profile/event_timer.h"
#include "src/profile/host.h"
#include "src/profile/measurement.h"
#include "src/profile/memory.h"
#include "src/profile/profiler.h"
#include "src/profile/range_profiler.h"
#include "src/profile/verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <span>
#include <unistd.h>

namespace fa3prof::profile {
namespace {

constexpr int kMinSamples = 20;
constexpr std::chrono::milliseconds kSettleTime(1000);
constexpr double kBusyUs = 20e3;  // power control settles within a few milliseconds
constexpr double kMaxBusyLaunches = 64.0;

std::vector<core::AttentionKernel> find_kernels(const RunRequest& request) {
  if (request.kernels.empty()) throw core::UsageError("no kernel was asked for, see --kernel");
  if (request.samples < kMinSamples) {
    throw core::UsageError(fmt::format("--samples {}: at least {} are needed for an interval",
                                       request.samples, kMinSamples));
  }
  core::validate(request.problem);
  std::vector<core::AttentionKernel> kernels;
  for (const std::string& name : request.kernels) {
    kernels.push_back(core::find_kernel(name));
    const auto refusal = core::why_unsupported(kernels.back(), request.problem);
    if (refusal) throw core::UsageError(*refusal);
  }
  return kernels;
}

void require_capability(const std::vector<core::AttentionKernel>& kernels, const core::Gpu& gpu) {
  for (const core::AttentionKernel& kernel : kernels) {
    const auto refusal = core::why_unsupported(kernel, gpu.capability);
    if (refusal) {
      throw core::UnavailableError(*refusal + " (" + gpu.name + ")",
                                   "leave it out with --kernel, or use a Hopper GPU");
    }
  }
}

core::Launch to_launch(const kernels::LaunchDescription& description) {
  return {.tile = description.tile,
          .stages = description.stages,
          .threads = description.threads,
          .ctas_per_sm = description.ctas_per_sm,
          .registers_per_thread = description.registers_per_thread,
          .shared_memory_bytes = description.shared_memory_bytes,
          .grid = description.grid,
          .is_persistent = description.is_persistent};
}

/// One request on one GPU.
class Run {
 public:
  Run(const RunRequest& request, const Progress& progress)
      : request_(request), progress_(progress), kernels_(find_kernels(request)) {
    gpu_ = describe_gpu(request.device);
    require_capability(kernels_, gpu_);
    use_gpu(request.device);
    if (request.cache == CacheMode::kCold) {
      flush_bytes_ = flush_bytes(static_cast<std::size_t>(gpu_.l2_bytes));
    }
    require_memory(request.problem,
                   tensor_bytes(request.problem) + static_cast<double>(kernels::kWorkspaceBytes) +
                       static_cast<double>(flush_bytes_) + kReservedBytes,
                   free_memory_bytes());
    nvml_ = NvmlDevice::open(gpu_.uuid);
  }

  std::vector<core::Result> measure() {
    stream_ = kernels::make_stream();
    prepare_inputs();
    for (const core::AttentionKernel& kernel : kernels_) verify_kernel(kernel);
    time_kernels();
    count_kernels();
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

  void prepare_inputs() {
    report("generating inputs");
    const HostInputs inputs = make_inputs(request_.problem, request_.seed);
    buffers_.emplace(request_.problem, inputs);
    report("computing the FP64 reference");
    reference_.rows = choose_rows(request_.problem, request_.verify);
    reference_.values =
        numerics::reference_rows(request_.problem, inputs.tensors(), reference_.rows);
  }

  [[nodiscard]] Launch launcher(const core::AttentionKernel& kernel) const {
    return [this, kernel] {
      kernels::launch_attention(kernel, request_.problem, buffers_->tensors(), stream_.get());
    };
  }

  void verify_kernel(const core::AttentionKernel& kernel) {
    report(fmt::format("verifying {}", kernel.name));
    const auto description = kernels::describe_launch(kernel, request_.problem);
    buffers_->poison_outputs(stream_.get());
    launcher(kernel)();
    const Output output = buffers_->download(stream_.get());
    Measurement measurement;
    measurement.kernel = kernel.name;
    measurement.problem = request_.problem;
    measurement.launch = to_launch(description);
    measurement.local_memory_bytes = description.local_memory_bytes;
    measurement.verification = verify(request_.problem, reference_, output);
    measurement.cache = request_.cache == CacheMode::kCold ? "cold" : "warm";
    measurements_.push_back(measurement);
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

  void time_kernels() {
    const auto indices = passed();
    if (indices.empty()) return;
    report("timing");
    std::vector<Launch> launches;
    for (const std::size_t i : indices) launches.push_back(launcher(kernels_[i]));
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
  void count_kernels() {
    if (request_.counters == CounterMode::kOff) return;
    RangeProfiler profiler(request_.device);
    EventTimer flusher(stream_.get(), flush_bytes_);
    for (const std::size_t i : passed()) {
      report(fmt::format("counting {}", kernels_[i].name));
      const Launch launch = launcher(kernels_[i]);
      core::Counters& counters = measurements_[i].counters;
      counters = profiler.collect(preparation(measurements_[i], launch, flusher), launch);
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
  std::vector<core::AttentionKernel> kernels_;
  core::Gpu gpu_;
  std::size_t flush_bytes_ = 0;
  std::optional<NvmlDevice> nvml_;
  kernels::Stream stream_;
  std::optional<AttentionBuffers> buffers_;
  Reference reference_;
  std::vector<Measurement> measurements_;  // as kernels_
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
