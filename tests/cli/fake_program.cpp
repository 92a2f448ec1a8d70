#include "tests/cli/fake_program.h"

#include "src/report/json.h"
#include "tests/analysis/made_trace.h"
#include "tests/golden/example_report.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <memory>
#include <sstream>

namespace fa3prof::tests {
namespace {

using profile::Finding;

/// What launch and counters of a kernel look like.
struct Likeness {
  std::string_view kernel;
  int threads = 0;
  int ctas_per_sm = 1;
  std::int64_t grid = 0;
  std::string_view transfer;
  std::string_view multiplication;
  double tensor_active_ratio = 0.0;
  double mufu_active_ratio = 0.0;
};

constexpr std::array<Likeness, 4> kLikenesses{
    {{"fa1", 128, 2, 32, core::kGlobalLoadInstructions, core::kMmaSyncInstructions, 0.06, 0.03},
     {"fa2", 128, 2, 2048, core::kCpAsyncInstructions, core::kMmaSyncInstructions, 0.56, 0.19},
     {"fa3", 384, 1, 132, core::kTmaInstructions, core::kWgmmaInstructions, 0.73, 0.37},
     {"fa3_fp8", 512, 1, 132, core::kTmaInstructions, core::kWgmmaInstructions, 0.62, 0.7}}};

void liken(const Likeness& likeness, core::Result& result) {
  result.launch->threads = likeness.threads;
  result.launch->ctas_per_sm = likeness.ctas_per_sm;
  result.launch->grid = likeness.grid;
  result.launch->is_persistent = likeness.ctas_per_sm == 1;
  if (likeness.kernel == core::kFp8) *result.peak_tflops *= 2.0;
  auto& values = result.counters.values;
  for (const std::string_view key :
       {core::kGlobalLoadInstructions, core::kCpAsyncInstructions, core::kTmaInstructions,
        core::kMmaSyncInstructions, core::kWgmmaInstructions}) {
    values[std::string(key)] = 0.0;
  }
  values[std::string(likeness.transfer)] = 1'234'567.0;
  values[std::string(likeness.multiplication)] = 33'554'432.0;
  values[std::string(core::kTensorActiveRatio)] = likeness.tensor_active_ratio;
  values[std::string(core::kMufuActiveRatio)] = likeness.mufu_active_ratio;
}

double time_us_of(std::string_view kernel) {
  if (kernel == "fa1") return 24'000.0;
  if (kernel == core::kFp8) return 1'100.0;
  return kernel == "fa3" ? 1724.8 : 3060.4;
}

class FakeProfiler : public profile::Profiler {
 public:
  explicit FakeProfiler(FakeMachine machine) : machine_(std::move(machine)) {}

  core::Environment environment(int device) override {
    core::Environment environment = example_environment();
    if (device > 0) environment.gpu->uuid += "-" + std::to_string(device);
    if (device == machine_.foreign_gpu) environment.gpu->sm_count = 114;
    if (machine_.has_gpu) {
      environment.gpu->capability = machine_.capability;
    } else {
      environment.gpu.reset();
    }
    return environment;
  }

  int count_devices() override { return machine_.has_gpu ? machine_.gpus : 0; }

  std::vector<Finding> diagnose(int) override {
    if (!machine_.has_gpu) {
      return {{Finding::Severity::kMissing, "GPU", "none found", "use a machine with one"}};
    }
    std::vector<Finding> findings{{Finding::Severity::kOk, "GPU", "NVIDIA H200", ""}};
    if (!machine_.has_counters) {
      findings.push_back({Finding::Severity::kMissing, "counters", "no permission", "ask root"});
    }
    return findings;
  }

  std::vector<core::Result> run(const profile::RunRequest& request,
                                const profile::Progress& progress) override {
    if (!machine_.has_gpu) throw core::UnavailableError("no GPU", "use a machine with one");
    if (!machine_.has_counters && request.counters == profile::CounterMode::kRequired) {
      throw core::DeviceError("no permission for counters", "fake");
    }
    if (request.problem.seqlen_q == machine_.lost_at_seqlen) {
      throw profile::RunStopped("the GPU was lost: cudaErrorDevicesUnavailable", {},
                                core::ExitCode::kUnavailable);
    }
    if (request.problem.seqlen_q == machine_.interrupted_at_seqlen) {
      static_cast<void>(raise(SIGINT));
      request.check_stop();
    }
    std::vector<core::Result> results;
    for (const std::string& kernel : request.kernels) {
      progress("timing " + kernel);
      results.push_back(result_of(kernel, request));
      if (kernel == machine_.stuck_kernel) {
        throw profile::RunStopped("a launch did not end", results);
      }
    }
    return results;
  }

 private:
  /// Stamps of a launch that is 8 % slower with them.
  static void add_trace(const std::vector<int>& ctas, core::Result& result) {
    const core::StageTrace trace = made_trace(20);
    result.stage_trace = std::make_shared<const core::StageTrace>(trace);
    result.trace = {.ctas = ctas.empty() ? std::vector<int>{0, 131} : ctas,
                    .dropped_records = 0,
                    .traced_us = 1080.0,
                    .timed_us = 1000.0,
                    .clock_mhz = trace.clock_mhz,
                    .cta_loss_ratio = trace.cta_loss_ratio()};
  }

  [[nodiscard]] core::Result result_of(const std::string& kernel,
                                       const profile::RunRequest& request) const {
    core::Result result = measured_result(kernel, time_us_of(kernel));
    if (const auto likeness = std::ranges::find(kLikenesses, kernel, &Likeness::kernel);
        likeness != kLikenesses.end()) {
      liken(*likeness, result);
    }
    result.problem = request.problem;
    if (kernel == core::kCudnn) result.kernel_version = request.cudnn->version();
    if (kernel.starts_with(core::kFp8)) {
      result.quantization = {.time_us = 300.0, .is_included = request.includes_quantization};
    }
    if (kernel == machine_.refusing_kernel) return refused(result);
    if (request.trace_ctas && kernel == "fa3") add_trace(*request.trace_ctas, result);
    for (const profile::Plugin& plugin : request.plugins) {
      if (plugin.name() == kernel) result.kernel_version = plugin.version();
    }
    result.timing->cache = request.cache == profile::CacheMode::kCold ? "cold" : "warm";
    if (request.device == machine_.lagging_gpu) slow_down(result);
    if (request.mode == profile::TimingMode::kBurst) make_burst(request, result);
    if (!machine_.has_counters || request.counters == profile::CounterMode::kOff) {
      result.counters = {};
      result.cycles.reset();
    }
    if (!machine_.has_counters) {
      result.counters.status = core::Counters::Status::kUnavailable;
      result.counters.reason = "no permission";
      result.counters.cure = "ask root";
    }
    return kernel == machine_.failing_kernel || kernel == machine_.stuck_kernel ? failed(result)
                                                                                : result;
  }

  static void slow_down(core::Result& result) {
    constexpr double kFactor = 1.05;
    for (double& time_us : result.timing->samples_us) time_us *= kFactor;
    for (double& clock_mhz : result.timing->samples_clock_mhz) clock_mhz /= kFactor;
    *result.time_us *= kFactor;
    *result.tflops /= kFactor;
    result.timing->median_us *= kFactor;
    result.timing->median_ci95_us.lower *= kFactor;
    result.timing->median_ci95_us.upper *= kFactor;
  }

  static void make_burst(const profile::RunRequest& request, core::Result& result) {
    core::Method& method = *result.timing->method;
    method.mode = "burst";
    method.settle_ms = method.steady_clock_ratio = 0.0;
    method.pause_ms = static_cast<double>(request.pause.count());
    result.timing->warm_up = core::WarmUp{.launches = 10, .duration_ms = 24.0};
  }

  [[nodiscard]] static core::Result refused(const core::Result& good) {
    core::Result result;
    result.kernel = good.kernel;
    result.kernel_version = good.kernel_version;
    result.problem = good.problem;
    result.unsupported_reason = good.kernel + ": no engine";
    return result;
  }

  [[nodiscard]] static core::Result failed(const core::Result& good) {
    core::Result result;
    result.kernel = good.kernel;
    result.kernel_version = good.kernel_version;
    result.problem = good.problem;
    result.launch = good.launch;
    result.verification = good.verification;
    result.verification->passed = false;
    result.verification->relative_error = 0.25;
    result.verification->failure = "relative error 0.25 is not below 0.001";
    return result;
  }

  FakeMachine machine_;
};

std::vector<profile::Series> measured_series(const FakeMachine& machine) {
  if (!machine.has_gpu) throw core::UnavailableError("no GPU", "use a machine with one");
  return machine.series;
}

}  // namespace

core::Report report_of(const Outcome& outcome) {
  return report::parse_report(outcome.out, "stdout");
}

Outcome run_program(const std::vector<std::string>& arguments, const FakeMachine& machine,
                    const cli::Terminal& terminal) {
  CLI::App app("", "fa3prof");
  commands::Verb verb;
  commands::add_verbs(app, verb);
  // CLI11 takes the words from the end of the vector.
  app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  std::ostringstream out;
  std::ostringstream err;
  std::vector<std::string> command{"fa3prof"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const commands::Context context{
      .make_profiler = [&machine] { return std::make_unique<FakeProfiler>(machine); },
      .out = out,
      .err = err,
      .terminal = terminal,
      .command = command,
      .created_at = "2026-11-30T12:00:00Z",
      .measure_machine =
          [&machine](const profile::CalibrationRequest&,
                     const profile::CalibrationProgress& progress) {
            progress(1, 4, "fake");
            return measured_series(machine);
          }};
  const core::ExitCode code = verb(context);
  return {.code = code, .out = out.str(), .err = err.str()};
}

}  // namespace fa3prof::tests
