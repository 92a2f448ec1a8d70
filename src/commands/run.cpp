#include "src/commands/run.h"

#include "src/cli/choice.h"
#include "src/cli/problem_options.h"
#include "src/cli/text_list.h"
#include "src/commands/model.h"
#include "src/commands/output.h"
#include "src/core/attention_kernel.h"
#include "src/report/console.h"
#include "src/report/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

namespace fa3prof::commands {
namespace {

using core::AttentionKernel;
using core::AttentionProblem;
using core::Result;

constexpr const char* kMeasuring = "Measuring";  ///< heading in --help

std::vector<const AttentionKernel*> choose_kernels(const RunOptions& options) {
  std::vector<const AttentionKernel*> kernels;
  for (const std::string& name : options.kernels) kernels.push_back(&core::find_kernel(name));
  if (!kernels.empty()) return kernels;
  for (const AttentionKernel& kernel : core::attention_kernels()) kernels.push_back(&kernel);
  return kernels;
}

/// Why a kernel is left out of a problem, or nothing. A GPU that does not fit a kernel named by the
/// user is no reason: the profiler then refuses the run.
class Selection {
 public:
  Selection(const RunOptions& options, const std::optional<core::Gpu>& gpu)
      : kernels_(choose_kernels(options)) {
    if (options.kernels.empty() && gpu) capability_ = gpu->capability;
  }

  [[nodiscard]] const std::vector<const AttentionKernel*>& kernels() const { return kernels_; }

  [[nodiscard]] std::optional<std::string> why_left_out(const AttentionKernel& kernel,
                                                        const AttentionProblem& problem) const {
    if (auto reason = core::why_unsupported(kernel, problem)) return reason;
    return capability_ ? core::why_unsupported(kernel, *capability_) : std::nullopt;
  }

 private:
  std::vector<const AttentionKernel*> kernels_;
  std::optional<core::ComputeCapability> capability_;
};

/// Refuses what cannot be run at all, before anything is measured.
void check_support(const RunOptions& options, const std::vector<AttentionProblem>& problems) {
  const std::vector<const AttentionKernel*> kernels = choose_kernels(options);
  std::string first_reason;
  bool has_any = false;
  for (const AttentionProblem& problem : problems) {
    for (const AttentionKernel* kernel : kernels) {
      const auto reason = core::why_unsupported(*kernel, problem);
      has_any = has_any || !reason;
      if (reason && first_reason.empty()) first_reason = *reason;
    }
  }
  if (first_reason.empty() || (has_any && problems.size() > 1)) return;
  throw core::UsageError(first_reason + "; choose another --kernel or problem (fa3prof list)");
}

class Run {
 public:
  Run(const RunOptions& options, const Context& context)
      : options_(options), profiler_(context.make_profiler()) {
    report_.created_at = context.created_at;
    report_.command = context.command;
    report_.environment = profiler_->environment(options.request.device);
    report_.seed = options.request.seed;
    selection_.emplace(options, report_.environment.gpu);
    machine_ = find_machine(options.machine, report_);
  }

  /// Measures and simulates one problem.
  void add(const AttentionProblem& problem, const profile::Progress& progress) {
    profile::RunRequest request = options_.request;
    request.problem = problem;
    std::vector<const AttentionKernel*> kernels;
    for (const AttentionKernel* kernel : selection_->kernels()) {
      if (const auto reason = selection_->why_left_out(*kernel, problem)) {
        add_left_out(*kernel, problem, *reason);
      } else {
        kernels.push_back(kernel);
        request.kernels.emplace_back(kernel->name);
      }
    }
    if (kernels.empty()) return;
    for (Result& result : profiler_->run(request, progress)) {
      report_.results.push_back(std::move(result));
    }
    if (!machine_) return;
    for (const AttentionKernel* kernel : kernels) {
      add_simulated(*machine_, *kernel, problem, report_);
    }
  }

  [[nodiscard]] const core::Report& report() const { return report_; }

 private:
  void add_left_out(const AttentionKernel& kernel, const AttentionProblem& problem,
                    const std::string& reason) {
    Result result;
    result.source = core::ResultSource::kMeasured;
    result.kernel = std::string(kernel.name);
    result.problem = problem;
    result.unsupported_reason = reason;
    report_.results.push_back(std::move(result));
  }

  const RunOptions& options_;
  std::unique_ptr<profile::Profiler> profiler_;
  core::Report report_;
  std::optional<Selection> selection_;
  std::optional<sim::Machine> machine_;
};

void add_measuring_options(CLI::App& verb, RunOptions& options) {
  profile::RunRequest& request = options.request;
  verb.add_option("--device", request.device, "GPU index [0]")
      ->check(CLI::NonNegativeNumber)
      ->group(kMeasuring);
  verb.add_option("--samples", request.samples, "timed launches of each kernel, at least 20 [30]")
      ->type_name("N")
      ->check(CLI::Range(20, 1'000'000))
      ->group(kMeasuring);
  verb.add_option("--warmup", request.warmup_launches, "launches before them [5]")
      ->check(CLI::Range(0, 1'000'000))
      ->group(kMeasuring);
  verb.add_option("--seed", request.seed, "of the random inputs [1]")
      ->check(CLI::Range(std::int64_t{1}, std::numeric_limits<std::int64_t>::max()))
      ->group(kMeasuring);
  cli::add_choice<profile::CacheMode>(
      verb, "--cache", request.cache,
      {{"cold", profile::CacheMode::kCold}, {"warm", profile::CacheMode::kWarm}})
      ->description("L2 flushed before each launch, or not [warm]")
      ->group(kMeasuring);
  cli::add_choice<profile::VerifyMode>(
      verb, "--verify", request.verify,
      {{"sampled", profile::VerifyMode::kSampled}, {"full", profile::VerifyMode::kFull}})
      ->description("rows checked against the FP64 reference [sampled]")
      ->group(kMeasuring);
}

void add_counter_options(CLI::App& verb, profile::RunRequest& request) {
  using enum profile::CounterMode;
  auto* off = verb.add_flag_callback("--no-counters", [&request] { request.counters = kOff; });
  off->description("skip the hardware counters")->group(kMeasuring);
  verb.add_flag_callback("--require-counters", [&request] { request.counters = kRequired; })
      ->description("fail where the hardware counters cannot be had")
      ->excludes(off)
      ->group(kMeasuring);
}

bool has_failed(const Result& result) {
  return result.verification && !result.verification->passed;
}

}  // namespace

void add_run(CLI::App& app, Verb& chosen) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* verb = app.add_subcommand("run", "Measure kernels on this GPU beside the model");
  verb->add_option_function<std::string>(
          "--kernel",
          [options = options.get()](const std::string& text) {
            options->kernels = cli::split_list(text, "--kernel");
            for (const std::string& name : options->kernels) {
              static_cast<void>(core::find_kernel(name));
            }
          },
          "kernels, the first is the baseline [all that fit the GPU]")
      ->type_name("NAMES");
  verb->add_option("--machine", options->machine, "machine of the model [that of the GPU]")
      ->type_name("NAME|FILE");
  cli::add_problem_options(*verb, options->grid);
  add_measuring_options(*verb, *options);
  add_counter_options(*verb, options->request);
  cli::add_output_options(*verb, options->output);
  verb->callback([options, &chosen] {
    chosen = [options](const Context& context) { return run_run(*options, context); };
  });
}

core::ExitCode run_run(const RunOptions& options, const Context& context) {
  Output output(options.output, context);
  const std::vector<AttentionProblem> problems = core::expand(options.grid);
  check_support(options, problems);
  Run run(options, context);
  {
    cli::ProgressLine line(context.err, output.shows_progress());
    for (std::size_t i = 0; i < problems.size(); ++i) {
      const std::string place =
          fmt::format("[{}/{}] {}: ", i + 1, problems.size(), core::describe(problems[i]));
      run.add(problems[i], [&](const std::string& step) { line.show(place + step); });
    }
  }
  const core::Report& report = run.report();
  output.write([&] { return report::to_json(report); });
  output.print([&](report::Colour colour) { return report::run_text(report, colour); });
  const bool failed = std::ranges::any_of(report.results, has_failed);
  if (!failed) return core::ExitCode::kDone;
  for (const Result& result : report.results) {
    if (!has_failed(result)) continue;
    output.print_error(fmt::format("{} failed verification on {}: {}", result.kernel,
                                   core::describe(result.problem), result.verification->failure));
  }
  return core::ExitCode::kCheckFailed;
}

}  // namespace fa3prof::commands
